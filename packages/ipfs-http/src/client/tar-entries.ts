import { IpfsError } from '../error.ts'
import type { IpfsEntry } from './client.ts'
import { safeName } from './safe-name.ts'

const blockSize = 512
/** Longest record, such as a long name, in bytes. */
const mostRecordBytes = 1 << 16
const mostSymlinks = 100_000

/**
 * Reads the members of a tar archive, unverified: a single one, or a directory and everything below it, the members of each
 * directory in a row. The first is called `root`, whatever its name in the archive. Reads ustar with the extensions of
 * POSIX (pax) and GNU for long names.
 * @throws IpfsError `truncated`, `bad_content` for names that lead out of the archive or through a symlink
 */
export async function* tarEntries(chunks: AsyncIterable<Uint8Array>, root: string): AsyncGenerator<IpfsEntry> {
  const reader = readerOf(chunks)
  const symlinks = new Set<string>()
  let first: string | undefined
  // Directories that the next member may be in, each within the one before it.
  const open: string[] = []
  let long: { path?: string; linkpath?: string; size?: string; mtime?: string } = {}
  for (;;) {
    const header = await reader.exactly(blockSize)
    if (header.every((byte) => byte === 0)) {
      if (first === undefined) throw bad('nothing')
      return
    }
    const kind = String.fromCharCode(header[156]!)
    const size = Number(long.size ?? numberAt(header, 124, 12))
    if (!Number.isSafeInteger(size) || size < 0) throw bad('a size that is none')
    if ('xgLK'.includes(kind)) {
      if (size > mostRecordBytes) throw bad('records that are too long')
      const record = (await reader.exactly(padded(size))).subarray(0, size)
      if (kind === 'x') long = { ...long, ...paxOf(record) }
      if (kind === 'L') long.path = textOf(record)
      if (kind === 'K') long.linkpath = textOf(record)
      continue
    }

    const path = pathOf(long.path ?? nameIn(header))
    const type = kind === '5' ? 'directory' : kind === '2' ? 'symlink' : 'file'
    if (!'\x000725'.includes(kind)) throw bad('a member that is no file, directory or symlink')
    const folder = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
    while (open.length > 0 && open.at(-1) !== folder) open.pop()
    if (first !== undefined && open.length === 0) throw bad('a member that lies in no directory before it')
    if (symlinks.has(path)) throw bad('a name twice')
    first ??= path
    if (type === 'directory') open.push(path)
    if (type === 'symlink' && symlinks.add(path).size > mostSymlinks) throw bad('too many symlinks')
    const secs = Math.floor(Number(long.mtime ?? numberAt(header, 136, 12)))
    if (type !== 'file' && size > 0) throw bad('a directory or symlink with content')
    const content = reader.upTo(size)
    yield {
      path: root + path.slice(first.length),
      type,
      size: type === 'file' ? size : 0,
      content,
      target: type === 'symlink' ? (long.linkpath ?? textOf(header.subarray(157, 257))) : undefined,
      mode: numberAt(header, 100, 8) & 0o7777,
      // An archive writes 0 for a member without a time.
      mtime: secs !== 0 && Number.isSafeInteger(secs) ? { secs: BigInt(secs) } : undefined,
      verification: 'unverified',
    }
    // Skips the content that was not read, and the padding of the last block.
    for await (const chunk of content) void chunk
    await reader.exactly(padded(size) - size)
    long = {}
  }
}

interface TarReader {
  /** Takes exactly `length` bytes. */
  exactly(length: number): Promise<Uint8Array>
  /** The next `length` bytes, which may be read in several loops. */
  upTo(length: number): AsyncIterable<Uint8Array>
}

function readerOf(chunks: AsyncIterable<Uint8Array>): TarReader {
  const source = chunks[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array(0)

  async function some(most: number): Promise<Uint8Array> {
    while (held.byteLength === 0) {
      const { done, value } = await source.next()
      if (done) throw new IpfsError('truncated', 'the archive ended early: the host broke off, retry')
      held = value
    }
    const piece = held.subarray(0, most)
    held = held.subarray(piece.byteLength)
    return piece
  }

  return {
    async exactly(length) {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length;) {
        const piece = await some(length - at)
        bytes.set(piece, at)
        at += piece.byteLength
      }
      return bytes
    },
    upTo(length) {
      let left = length
      return {
        async *[Symbol.asyncIterator]() {
          while (left > 0) {
            const piece = await some(left)
            left -= piece.byteLength
            yield piece
          }
        },
      }
    },
  }
}

function padded(size: number): number {
  return Math.ceil(size / blockSize) * blockSize
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
}

/** Reads a number: octal digits, or a big-endian number behind a set bit. */
function numberAt(header: Uint8Array, at: number, length: number): number {
  const field = header.subarray(at, at + length)
  if (field[0]! < 0x80) return Number.parseInt(textOf(field).trim() || '0', 8)
  return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, field[0]! & 0x7f)
}

function nameIn(header: Uint8Array): string {
  const prefix = textOf(header.subarray(257, 262)) === 'ustar' ? textOf(header.subarray(345, 500)) : ''
  const name = textOf(header.subarray(0, 100))
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Reads records of the form `<length> <key>=<value>\n`, where the length counts all bytes of the record. */
function paxOf(record: Uint8Array): Record<string, string> {
  const values: Record<string, string> = {}
  for (let rest = record; rest.byteLength > 0;) {
    const length = Number.parseInt(textOf(rest.subarray(0, 8)), 10)
    if (!(length > 0 && length <= rest.byteLength)) throw bad('records that cannot be read')
    const [, key, value] = /^\d+ ([^=]+)=([^]*)\n$/.exec(new TextDecoder().decode(rest.subarray(0, length))) ?? []
    if (key !== undefined && ['path', 'linkpath', 'size', 'mtime'].includes(key)) values[key] = value!
    rest = rest.subarray(length)
  }
  return values
}

function pathOf(name: string): string {
  return name.replace(/\/+$/, '').split('/').map(safeName).join('/')
}

function bad(what: string): IpfsError {
  return new IpfsError('bad_content', `the archive holds ${what}`)
}
