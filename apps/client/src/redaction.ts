import { mayBeKey, secretsInUrl } from '@wayleave/auth'
import { rawJsonFromValue, type RpcErrorObject } from '@wayleave/jsonrpc-core'

/** Keeps a client's own secrets out of its errors, whatever a server repeats. */
export interface Redaction {
  /** Adds a token. The last four count. */
  add(token: string): void
  /** A server's words for a message: without secrets, at most 1 kB, with control and bidi characters escaped. */
  words(text: string): string
  /** An error answer with a message as {@link Redaction.words} has it, and its `data` without secrets. */
  answer(error: RpcErrorObject): RpcErrorObject
  /** Takes secrets out of an error and its causes, in place. Returns it. */
  error(thrown: unknown): unknown
}

/** Longest words of a server in a message, and longest message, in bytes. */
const longestWords = 1_000
const longestMessage = 2_000
/** Longest error answer whose `data` is told, in characters without its long hex. */
const longestAnswer = 300_000
/** Longest secret that is looked for in base64 and hex, too. */
const longestCoded = 300
/** Most characters that a byte is spelled with. */
const longestSpelling = 8
/** Most causes of an error that are looked at. */
const mostCauses = 8
const mark = '[redacted]'

/** The options of a client that hold secrets. */
interface WithSecrets {
  readonly url: string
  readonly apiKey?: string
  readonly apiKeySecret?: string
}

/**
 * Creates the redaction of a client, whose URLs were checked; `others` are those of its APIs. Secrets of fewer than four characters are
 * none.
 */
export function redactionOf(
  { url, apiKey = '', apiKeySecret = '' }: WithSecrets,
  others: readonly (string | undefined)[] = [],
): Redaction {
  const secrets = [apiKey, apiKeySecret]
  const urls: string[] = []
  for (const text of [url, ...others]) {
    if (text === undefined || !URL.canParse(text)) continue
    const parsed = new URL(text)
    const path = parsed.pathname.replace(/\/+$/, '')
    const whole = path + parsed.search
    // By any scheme: a gateway has several.
    for (const part of [whole, path]) if (part) urls.push(`//${parsed.host}${part}`)
    if (mayBeKey(whole)) urls.push(whole)
    secrets.push(...secretsInUrl(parsed))
  }
  return createRedaction(secrets, urls)
}

/** Creates a redaction. `secrets` are found in base64 and hex, too. */
function createRedaction(secrets: readonly string[], urls: readonly string[]): Redaction {
  const tokens = new Set<string>()
  /** What is looked for, in its plain spelling. */
  let known: readonly string[] | undefined

  function learn(): readonly string[] {
    const forms = new Set([...secrets, ...tokens].flatMap(formsOf).concat(urls))
    return [...forms].map((form) => plainOf(form).plain).filter(({ length }) => length > 3)
  }

  /** Redacts the first `most` characters of a text. */
  function redacted(text: string, most: number): { readonly clean: string; readonly isWhole: boolean } {
    const forms = (known ??= learn())
    const longest = forms.reduce((length, form) => Math.max(length, form.length), 0)
    // A secret that begins among them is found to its end.
    const near = text.slice(0, most + longestSpelling * longest)
    let clean = ''
    let done = 0
    for (const [from, to] of placesIn(near, forms)) {
      if (from >= most) break
      if (from >= done) clean += near.slice(done, from) + mark
      done = Math.max(done, to)
    }
    clean += near.slice(done, most)
    return { clean, isWhole: Math.max(done, most) >= text.length }
  }

  function bounded(text: string, most: number): string {
    const { clean, isWhole } = redacted(text, most)
    return cut(clean.replace(invisible, escapeOf), most, !isWhole)
  }

  const words = (text: string): string => bounded(saidIn(text), longestWords)

  /** Redacts an error answer. Empty if it is too long. */
  function cleanAnswer(text: string): string {
    let clean = ''
    let done = 0
    let left = longestAnswer
    function passTo(end: number): void {
      const part = redacted(text.slice(done, end), left)
      left = part.isWhole ? left - (end - done) : 0
      clean += part.clean
      done = end
    }
    for (const { index } of text.matchAll(/"0x[\da-f]{256}/gi)) {
      const end = text.indexOf('"', index + 1)
      const hex = text.slice(index + 3, end)
      // Hex has one spelling.
      if (left === 0 || /[^\da-f]/i.test(hex)) continue
      passTo(index + 3)
      clean += hexOf((known ??= learn()), hex)
      done = end
    }
    if (left > 0) passTo(text.length)
    return left > 0 ? clean : ''
  }

  return {
    add(token) {
      if (tokens.has(token)) return
      tokens.add(token)
      for (const old of tokens) if (tokens.size > 4) tokens.delete(old)
      known = undefined
    },
    words,
    answer(error) {
      const { code, message, data, raw } = error
      const said = bounded(message, longestWords)
      const text = raw?.text() ?? ''
      const clean = cleanAnswer(text)
      if (said === message && clean === text) return error
      const withData = (reported: unknown): RpcErrorObject => {
        const own = { code, message: said, data: reported }
        return { ...own, raw: rawJsonFromValue(own) }
      }
      try {
        return withData(clean === text ? data : (JSON.parse(clean) as RpcErrorObject).data)
      } catch {
        // What cannot be told without secrets is not told. A revert without data would be an empty one.
        return withData(data === undefined ? data : `0x${mark}`)
      }
    },
    error(thrown) {
      let error = thrown
      for (let i = 0; error instanceof Error && i < mostCauses; i++) {
        const isOurs = /^(?:Rpc|Revert|Schema|Verify|GasFees|Ipfs)Error$/.test(error.name)
        const clean = (text: string): string =>
          isOurs ? bounded(text, longestMessage) : redacted(text, text.length).clean
        cleanMembers(error, clean)
        error = error.cause
      }
      return thrown
    },
  }
}

/** Cleans an error's texts, and those one level below: the issue of a `SchemaError`, the reason of a revert. */
function cleanMembers(error: Error, clean: (text: string) => string): void {
  const { message, stack = '' } = error
  const said = clean(message)
  const members = error as unknown as Record<string, unknown>
  for (const name of ['field', 'issue', 'revert']) {
    const value = members[name]
    if (typeof value === 'string') set(members, name, clean(value))
    else {
      for (const [inner, text] of Object.entries(Object(value))) {
        if (typeof text === 'string' && !text.startsWith('0x')) set(value as typeof members, inner, clean(text))
      }
    }
  }
  set(members, 'message', said)
  set(members, 'stack', stack.split(message).join(said))
}

/** Sets a member, unless it is as it was. One that cannot be set stays. */
function set(members: Record<string, unknown>, name: string, value: string): void {
  if (members[name] !== value) Reflect.set(members, name, value)
}

/** The words of a body: the title of a page, which is all markup else. */
function saidIn(text: string): string {
  if (!/^\s*</.test(text)) return text.trim()
  return /<title>([^<]*)/i.exec(text.slice(0, 10_000))?.[1]!.trim() ?? ''
}

/** The forms in which a secret crosses a wire: itself, hex, and base64 at each of three places in what is encoded. */
function formsOf(secret: string): string[] {
  if (secret.length > longestCoded) return [secret]
  const bytes = [...new TextEncoder().encode(secret)]
  const base64 = [0, 1, 2].map((shift) => {
    const text = btoa(String.fromCharCode(...Array<number>(shift).fill(0), ...bytes))
    // Characters at the edges depend on their neighbours.
    return text.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3))
  })
  return [secret, bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(''), ...base64]
}

/** Redacts hex digits. */
function hexOf(forms: readonly string[], digits: string): string {
  const those = forms.filter((form) => /^[\da-f]+$/.test(form))
  return those[0] ? digits.replace(new RegExp(those.join('|'), 'gi'), mark) : digits
}

/**
 * Finds texts, in their plain spelling, in another one however that is spelled: in order of their places there. Their beginnings count where
 * a message cut them, before `"…` or `…`.
 */
function placesIn(text: string, forms: readonly string[]): readonly (readonly [from: number, to: number])[] {
  const { plain, at } = plainOf(text)
  const places: [number, number][] = []
  for (const form of forms) {
    const head = form.slice(0, 4)
    for (let i = plain.indexOf(head); i >= 0; i = plain.indexOf(head, i + 1)) {
      let length = 4
      while (length < form.length && plain[i + length] === form[length]) length++
      if (length === form.length || /^"?\xe2\x80\xa6/.test(plain.slice(i + length, i + length + 4))) {
        places.push([at[i]!, at[i + length] ?? text.length])
      }
    }
  }
  return places.toSorted(([a], [b]) => a - b)
}

const spelling = /\\+u(d[89ab][\da-f]{2})\\+u(d[c-f][\da-f]{2})|\\+u([\da-f]{4})|%(?:25)*([\da-f]{2})|\\+|[^]/giu

/**
 * The plain spelling of a text, a character for each byte: percent-encoding (once or twice) and the escapes of JSON are undone, letters are
 * small, and base64 has the alphabet of URLs. `at` is the place of each byte in the text.
 */
function plainOf(text: string): { readonly plain: string; readonly at: readonly number[] } {
  const encoder = new TextEncoder()
  const at: number[] = []
  let plain = ''
  let begun: number | undefined
  for (const { 0: found, 1: high, 2: low, 3: unit, 4: byte, index } of text.matchAll(spelling)) {
    begun ??= index
    const units = high === undefined ? [unit ?? byte] : [high, low]
    const char = units[0] === undefined ? found : String.fromCharCode(...units.map((hex) => Number.parseInt(hex!, 16)))
    // It may belong to the spelling of what follows, and counts for nothing.
    if (char.startsWith('\\')) continue
    for (const each of byte !== undefined || char < '\x80' ? [char.charCodeAt(0)] : encoder.encode(char)) {
      at.push(begun)
      plain += plainLetters[String.fromCharCode(each)] ?? String.fromCharCode(each)
    }
    begun = undefined
  }
  return { plain: plain.replace(/[A-Z]/g, (letter) => letter.toLowerCase()), at }
}

const plainLetters: Readonly<Record<string, string>> = { '+': '-', '/': '_' }

/** Control, bidi and other invisible characters, and halves of pairs. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function escapeOf(char: string): string {
  return char === '\n' ? '\\n' : `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`
}

/** Cuts a text at most `most` bytes long; `isCut`: it was cut before. */
function cut(text: string, most: number, isCut: boolean): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most))
  return read < text.length || isCut ? `${text.slice(0, read)}…` : text
}
