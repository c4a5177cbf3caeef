/** The header of an entry of an archive. */
export interface TarEntry {
  readonly type: 'file' | 'directory' | 'symlink'
  /** `/` between segments. */
  readonly path: string
  readonly mode: number
  /** Seconds and nanoseconds since the Unix epoch. */
  readonly mtime: { readonly secs: bigint; readonly nsecs: number }
  /** The number of bytes that follow; 0 for all but files. */
  readonly size: bigint
  /** The target of a symlink. */
  readonly target?: string
}

/** Length of a block, in bytes. The last block of an entry is filled up, and two empty blocks end the archive. */
export const tarBlock = 512

const utf8 = new TextEncoder()
const typeFlags = { file: '0', symlink: '2', directory: '5' } as const
const mostOctal = 0o77777777777n

/**
 * Encodes the header of an entry as ustar. A pax header comes before it for what ustar cannot express: names beyond 100 bytes
 * (or 155 and 100), names beyond ASCII, files from 8 GiB, times before 1970 or with fractions. Source: POSIX.1-2017, pax.
 */
export function tarHeader(entry: TarEntry): Uint8Array {
  // A directory has no `/` at its end, which the extractor of `ipfs get` takes for an empty name.
  const { path } = entry
  const split = splitPath(path)
  const { secs, nsecs } = entry.mtime
  const isPlainTime = nsecs === 0 && secs >= 0n && secs <= mostOctal
  const target = entry.target ?? ''
  const records = [
    ...(split === undefined ? [record('path', path)] : []),
    ...(isPlain(target, 100) ? [] : [record('linkpath', target)]),
    ...(entry.size <= mostOctal ? [] : [record('size', String(entry.size))]),
    ...(isPlainTime ? [] : [record('mtime', decimalTime(secs, nsecs))]),
  ]
  const time = isPlainTime ? secs : 0n
  const header = block({
    ...(split ?? { prefix: '', name: 'long-name' }),
    flag: typeFlags[entry.type],
    mode: entry.mode,
    size: entry.size <= mostOctal ? entry.size : 0n,
    time,
    target: isPlain(target, 100) ? target : '',
  })
  if (records.length === 0) return header
  const body = Buffer.concat(records)
  const size = BigInt(body.length)
  const pax = block({ prefix: '', name: 'pax', flag: 'x', mode: 0o644, size, time: 0n, target: '' })
  return Buffer.concat([pax, body, tarPadding(size), header])
}

/** Makes the bytes that fill up the last block of an entry of `size` bytes. */
export function tarPadding(size: bigint): Uint8Array {
  return new Uint8Array(Number(-size & BigInt(tarBlock - 1)))
}

function block(fields: {
  readonly name: string
  readonly prefix: string
  readonly flag: string
  readonly mode: number
  readonly size: bigint
  readonly time: bigint
  readonly target: string
}): Uint8Array {
  const header = Buffer.alloc(tarBlock)
  const write = (at: number, text: string): void => void header.write(text, at, 'latin1')
  const octal = (value: number | bigint, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  write(0, fields.name)
  write(100, octal(fields.mode, 7))
  write(108, octal(0, 7))
  write(116, octal(0, 7))
  write(124, octal(fields.size, 11))
  write(136, octal(fields.time, 11))
  write(148, ' '.repeat(8))
  write(156, fields.flag)
  write(157, fields.target)
  write(257, 'ustar\x0000')
  write(345, fields.prefix)
  let sum = 0
  for (const byte of header) sum += byte
  write(148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return header
}

/** Splits a path as ustar holds it; undefined if it cannot. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } | undefined {
  if (isPlain(path, 100)) return { prefix: '', name: path }
  if (!isPlain(path, 256)) return undefined
  const at = path.indexOf('/', path.length - 101)
  if (at <= 0 || at > 155 || at === path.length - 1) return undefined
  return { prefix: path.slice(0, at), name: path.slice(at + 1) }
}

function isPlain(text: string, most: number): boolean {
  return text.length <= most && /^[\x20-\x7e]*$/.test(text)
}

/** Encodes a record, which begins with its length. The length counts itself. */
function record(key: string, value: string): Uint8Array {
  const rest = utf8.encode(` ${key}=${value}\n`)
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([utf8.encode(String(length)), rest])
}

function decimalTime(secs: bigint, nsecs: number): string {
  const total = secs * 1_000_000_000n + BigInt(nsecs)
  const [sign, size] = total < 0n ? ['-', -total] : ['', total]
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return `${sign}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}`
}
