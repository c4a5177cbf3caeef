/** Called for each byte of a text, with the place at which its spelling begins and ends. */
type OnByte = (byte: number, from: number, to: number) => void

/**
 * Reads the bytes of a text as UTF-8 in their plain spelling: the escapes of JSON and percent-encoding are undone, however often each was
 * applied. A backslash belongs to the spelling of what follows. The time is linear.
 */
export function readBytes(text: string, onByte: OnByte): void {
  let i = 0
  while (i < text.length) {
    const from = i
    const plain = text.charCodeAt(i)
    if (plain < 0x80 && plain !== backslash && plain !== percent) {
      onByte(plainOf(plain), from, ++i)
      continue
    }
    const unit = unitAt(text, i)
    i = unit.to
    if (unit.code === percent) {
      const encoded = percentAt(text, i)
      if (encoded !== undefined) i = encoded.to
      onByte(plainOf(encoded === undefined ? percent : encoded.code), from, i)
      continue
    }
    let { code } = unit
    if (code < 0x80) {
      if (code !== backslash) onByte(plainOf(code), from, i)
      continue
    }
    if (code >= 0xd800 && code < 0xdc00) {
      const low = unitAt(text, i)
      if (low.code >= 0xdc00 && low.code < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low.code - 0xdc00)
        i = low.to
      }
    }
    for (const byte of Buffer.from(String.fromCodePoint(code))) onByte(byte, from, i)
  }
}

/** Prints the bytes of {@link readBytes}, a character each. */
export function plainSpelling(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase().replaceAll('+', '-').replaceAll('/', '_')
  const bytes = Buffer.allocUnsafe(isAscii.test(text) ? text.length : text.length * 3)
  let length = 0
  readBytes(text, (byte) => (bytes[length++] = byte))
  return bytes.toString('latin1', 0, length)
}

interface Unit {
  readonly code: number
  readonly to: number
}

const percent = 0x25
const backslash = 0x5c
/** All of ASCII but the percent sign and the backslash. */
const isPlain = /^[\0-$&-[\]-\x7f]*$/
/** All of ASCII. */
const isAscii = /^[\0-\x7f]*$/
const fourDigits = /[\da-f]{4}/iy

/** Reads a UTF-16 unit, which may be escaped. At the end of the text it is a backslash. */
function unitAt(text: string, at: number): Unit {
  let to = at
  while (text.charCodeAt(to) === backslash) to++
  if (to === text.length) return { code: backslash, to }
  const code = text.charCodeAt(to)
  if (to === at || code !== 0x75) return { code, to: to + 1 }
  fourDigits.lastIndex = to + 1
  return fourDigits.test(text)
    ? { code: Number.parseInt(text.slice(to + 1, to + 5), 16), to: to + 5 }
    : { code, to: to + 1 }
}

/** Reads the byte behind a percent sign, through any further ones; undefined if there is none. */
function percentAt(text: string, at: number): Unit | undefined {
  let found: Unit | undefined
  do {
    const high = unitAt(text, found?.to ?? at)
    const low = unitAt(text, high.to)
    if (!isDigit(high) || !isDigit(low)) break
    found = { code: Number.parseInt(String.fromCharCode(high.code, low.code), 16), to: low.to }
  } while (found.code === percent)
  return found
}

/** Tells a digit of hex. */
function isDigit({ code }: Unit): boolean {
  return (code > 0x2f && code < 0x3a) || (code > 0x40 && code < 0x47) || (code > 0x60 && code < 0x67)
}

/** Letters are small, and base64 has the alphabet of URLs. */
function plainOf(byte: number): number {
  if (byte > 0x40 && byte < 0x5b) return byte + 0x20
  if (byte === 0x2b) return 0x2d
  return byte === 0x2f ? 0x5f : byte
}
