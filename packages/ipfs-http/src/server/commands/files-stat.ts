import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import { linkSize, parsePb } from '../../unixfs/pb-node.ts'
import { requireUnixFs } from '../../unixfs/unixfs-data.ts'
import { single } from '../answers.ts'
import type { Command } from '../call.ts'
import { cidWriter, readIpfsPath } from '../ipfs-path.ts'
import { statOf, symlinkBit } from '../unixfs-stat.ts'
import { blocksOf } from '../walk.ts'

/**
 * `POST /api/v0/files/stat` for paths below `/ipfs`: clients ask it for the type of a path. There is no mutable file system.
 * Source: Kubo `core/commands/files.go`.
 */
export const filesStat: Command = {
  argument: 'path',
  options: { format: 'string', hash: 'bool', size: 'bool', 'with-local': 'bool' },
  async run(call) {
    const { backend, backendCall, options, signal, wait } = call
    const text = options.args[0]!
    if (!text.startsWith('/')) throw new IpfsError('bad_argument', 'paths must start with a leading slash')
    if (!/^\/ip[fn]s\//.test(text) || options.bool('with-local') === true) {
      throw new IpfsError(
        'unsupported',
        'this service has no mutable files: ask for a path below /ipfs, without with-local',
      )
    }
    const write = cidWriter(options)
    const { cid, remainder } = await wait(backend.resolve(readIpfsPath(text), backendCall))
    const isFile = cid.code === codecCodes.raw || cid.code === codecCodes.dagPb
    if (!isFile || remainder.length > 0) throw new IpfsError('unsupported', 'not unixfs node (proto or raw)')
    const bytes = await blocksOf(call).get(cid, signal)
    const Hash = write(cid)
    if (cid.code === codecCodes.raw) {
      return single({ Hash, Size: bytes.byteLength, CumulativeSize: bytes.byteLength, Blocks: 0, Type: 'file' })
    }
    const node = parsePb(cid, bytes)
    const data = requireUnixFs(node)
    const { type, size, mode } = statOf(data)
    let below = 0n
    for (let at = 0; at < node.linkCount; at++) below += linkSize(node, at)
    const known = type === 'symlink' ? symlinkBit + 0o777 : mode
    const { mtime } = data
    return single({
      Hash,
      Size: size,
      CumulativeSize: bytes.byteLength + Number(below),
      Blocks: node.linkCount,
      Type: type === 'directory' ? type : 'file',
      ...(mtime !== undefined && mtime.secs !== 0n && { Mtime: Number(mtime.secs) }),
      ...(mtime !== undefined && mtime.nsecs !== 0 && { MtimeNsecs: mtime.nsecs }),
      ...(known !== 0 && { Mode: known.toString(8).padStart(4, '0') }),
    })
  },
}
