import type { ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { content } from './answers.ts'
import type { Command } from './call.ts'
import { readIpfsPath } from './ipfs-path.ts'

/** `POST /api/v0/cat`: the bytes of files, one after the other. Source: Kubo `core/commands/cat.go`. */
export const cat: Command = {
  argument: 'ipfs-path',
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
      const path = readIpfsPath(text)
      const left = length === undefined ? undefined : length - size
      if (left === 0n) break
      const file = await call.wait(backend.cat(path, { offset, length: left }, backendCall))
      if (file.size > 0n) offset = 0n
      else if (offset > 0n) {
        // The offset goes on into the next file, less what this one has.
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

/** `POST /api/v0/get`: a tar archive. Source: Kubo `core/commands/get.go`. */
export const get: Command = {
  argument: 'ipfs-path',
  options: { archive: 'bool', compress: 'bool', 'compression-level': 'int', output: 'string', progress: 'bool' },
  short: { C: 'compress', a: 'archive', l: 'compression-level', o: 'output', p: 'progress' },
  async run(call) {
    const { backend, backendCall, options } = call
    if (options.bool('compress') === true) {
      throw new IpfsError('unsupported', 'compress: this service sends the archive as it is: leave it out')
    }
    const path = readIpfsPath(options.args[0]!)
    await call.mayDownload()
    const name = path.segments.at(-1) ?? String(path.cid)
    return content(call, await call.wait(backend.get(path, name, backendCall)), { type: 'application/x-tar' })
  },
}
