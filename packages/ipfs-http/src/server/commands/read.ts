import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { ByteStream, IpfsPath } from '../../backend.ts'
import { IpfsError } from '../../error.ts'
import { content } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { readIpfsPath } from '../ipfs-path.ts'

/** `POST /api/v0/cat`: the bytes of files, one after the other. Source: Kubo `core/commands/cat.go`. */
export const cat: Command = {
  argument: 'ipfs-path',
  bodyArguments: true,
  options: { length: 'int64', offset: 'int64', progress: 'bool' },
  short: { l: 'length', o: 'offset', p: 'progress' },
  async run(call) {
    const { backend, backendCall, options } = call
    let offset = options.int('offset') ?? 0n
    const length = options.int('length')
    if (offset < 0n) throw new IpfsError('bad_argument', 'cannot specify negative offset')
    if (length !== undefined && length < 0n) throw new IpfsError('bad_argument', 'cannot specify negative length')
    await call.mayDownload()
    const files: ByteStream[] = []
    let size = 0n
    for (const text of options.args) {
      const left = length === undefined ? undefined : length - size
      if (left === 0n) break
      const path = readIpfsPath(text)
      const file = await call.wait(backend.cat(path, { offset, length: left }, backendCall))
      if (file.size > 0n) offset = 0n
      else if (offset > 0n) {
        // The file ends before the offset: the rest of the offset is left for the next file.
        const all = await call.wait(backend.cat(path, { offset: 0n, length: undefined }, backendCall))
        offset -= all.size
      }
      size += file.size
      files.push(file.bytes)
    }
    return content(call, concatenated(files), { size })
  },
}

async function* concatenated(files: readonly ByteStream[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const file of files) yield* file
}

/** `POST /api/v0/get`: a tar archive, or the bytes of a file in gzip. Source: Kubo `core/commands/get.go`. */
export const get: Command = {
  argument: 'ipfs-path',
  bodyArguments: true,
  options: { archive: 'bool', compress: 'bool', 'compression-level': 'int', output: 'string', progress: 'bool' },
  short: { C: 'compress', a: 'archive', l: 'compression-level', o: 'output', p: 'progress' },
  async run(call) {
    const { backend, backendCall, options } = call
    const isCompressed = options.bool('compress') === true
    const level = options.int('compression-level')
    if (isCompressed && level !== undefined && (level < 1n || level > 9n)) {
      throw new IpfsError('bad_argument', 'compression level must be between 1 and 9')
    }
    const text = options.args[0]!
    const path = readIpfsPath(text)
    await call.mayDownload()
    const isArchive = !isCompressed || options.bool('archive') === true
    const bytes = await call.wait(isArchive ? backend.get(path, nameOf(text, path), backendCall) : fileAt(call, path))
    if (!isCompressed) return content(call, bytes, { type: 'application/x-tar' })
    return content(call, gzipped(bytes, Number(level ?? -1n)), { type: 'application/gzip' })
  },
}

/** The name of the archive's root: the last segment of the path, or the CID as the caller wrote it, in whatever base. */
function nameOf(text: string, { cid, segments }: IpfsPath): string {
  const last = text.split('/').findLast((segment) => segment !== '' && segment !== '.')
  return segments.at(-1) ?? (last === undefined || last === '..' ? String(cid) : last)
}

async function fileAt({ backend, backendCall }: Call, path: IpfsPath): Promise<ByteStream> {
  try {
    return (await backend.cat(path, { offset: 0n, length: undefined }, backendCall)).bytes
  } catch (thrown) {
    const isDirectory = thrown instanceof IpfsError && thrown.code === 'is_directory'
    throw isDirectory ? new IpfsError('is_directory', 'file is not regular') : thrown
  }
}

/** Compresses at the pace of the reader. */
async function* gzipped(bytes: ByteStream, level: number): AsyncGenerator<Uint8Array, void, undefined> {
  // An error of the source also ends the iteration, so the callback has nothing to do.
  yield* pipeline(Readable.from(bytes, { objectMode: false }), createGzip({ level }), () => {})
}
