import type { CID } from 'multiformats/cid'
import { codecCodes } from '../../codec-codes.ts'
import { decodeBlock, linksIn } from '../../codecs.ts'
import { compareBytes } from '../../compare-bytes.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { directoryEntries } from '../../unixfs/directory-entries.ts'
import { linkCid, linkSize, parsePb } from '../../unixfs/pb-node.ts'
import { requireUnixFs, type UnixFsData } from '../../unixfs/unixfs-data.ts'
import { lines, single } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidWriter, readIpfsPath } from '../ipfs-path.ts'
import { statOf } from '../unixfs-stat.ts'
import { blocksOf } from '../walk.ts'

/** Most entries of an answer in one piece, which are held in memory. */
const mostHeld = 100_000
/** Entries whose types are asked for at a time. */
const ahead = 8

interface Entry {
  readonly name: string
  readonly cid: CID
  /** Bytes of all blocks below it, as its parent claims them. */
  readonly size: bigint
}

/** `POST /api/v0/ls`: the entries of directories, with their types and sizes. Source: Kubo `core/commands/ls.go`. */
export const ls: Command = {
  argument: 'ipfs-path',
  bodyArguments: true,
  options: { headers: 'bool', long: 'bool', 'resolve-type': 'bool', size: 'bool', stream: 'bool' },
  short: { l: 'long', s: 'stream', v: 'headers' },
  async run(call) {
    const { options } = call
    const write = cidWriter(options)
    const isResolved = (options.bool('resolve-type') ?? true) || (options.bool('size') ?? true)
    if (options.bool('stream') === true) return lines(streamed(call, isResolved, write), { eager: true })
    const objects: object[] = []
    for (const text of options.args) {
      const found: { readonly utf8: Uint8Array; readonly link: object }[] = []
      for await (const { name, link } of linksAt(call, text, isResolved, write)) {
        if (found.length === mostHeld) {
          throw new IpfsError(
            'too_large',
            `more than ${mostHeld} entries in ${text.slice(0, 200)}: ask with stream=true`,
          )
        }
        found.push({ utf8: Buffer.from(name), link })
      }
      const sorted = found.toSorted((one, other) => compareBytes(one.utf8, other.utf8))
      objects.push({ Hash: text, Links: sorted.map(({ link }) => link) })
    }
    return single({ Objects: objects })
  },
}

async function* streamed(
  call: Call,
  isResolved: boolean,
  write: (cid: CID) => string,
): AsyncGenerator<object, void, undefined> {
  for (const text of call.options.args) {
    for await (const { link } of linksAt(call, text, isResolved, write)) {
      yield { Objects: [{ Hash: text, Links: [link] }] }
    }
  }
}

/** The entries at a path as Kubo prints them, a few resolved ahead. */
async function* linksAt(
  call: Call,
  text: string,
  isResolved: boolean,
  write: (cid: CID) => string,
): AsyncGenerator<{ readonly name: string; readonly link: object }, void, undefined> {
  const source = { ...blocksOf(call), has: async () => false }
  const printed = async ({ name, cid, size }: Entry): Promise<{ name: string; link: object }> => {
    const known = cid.code === codecCodes.raw ? { Size: Number(size), Type: types.file } : undefined
    const data =
      known === undefined && isResolved && cid.code === codecCodes.dagPb ? await dataOf(call, source, cid) : {}
    return { name, link: { Name: name, Hash: write(cid), ...nothing, ...known, ...data } }
  }
  const pending: Promise<{ name: string; link: object }>[] = []
  for await (const entry of entriesAt(call, source, text)) {
    const next = printed(entry)
    next.catch(() => {})
    pending.push(next)
    if (pending.length === ahead) yield await pending.shift()!
  }
  for (const each of pending) yield await each
}

async function* entriesAt(call: Call, source: BlockSource, text: string): AsyncGenerator<Entry, void, undefined> {
  const { backend, backendCall, signal, wait } = call
  const { cid, remainder } = await wait(backend.resolve(readIpfsPath(text), backendCall))
  if (remainder.length > 0) throw new IpfsError('unsupported', `${cid} has no directory at /${remainder.join('/')}`)
  if (cid.code === codecCodes.raw) return void (await source.get(cid, signal))
  const bytes = await source.get(cid, signal)
  if (cid.code !== codecCodes.dagPb) {
    for (const link of linksIn(decodeBlock(cid, bytes))) yield { name: '', cid: link, size: 0n }
    return
  }
  const node = parsePb(cid, bytes)
  const data = requireUnixFs(node)
  if (data.type === 'directory' || data.type === 'shard') return yield* directoryEntries(source, node, data, signal)
  // As in Kubo, a file is listed by its parts.
  for (let at = 0; at < node.linkCount; at++) yield { name: '', cid: linkCid(node, at), size: linkSize(node, at) }
}

const types = { directory: 1, file: 2, symlink: 4 } as const
const nothing = { Size: 0, Type: 0, Target: '', Mode: 0, ModTime: '0001-01-01T00:00:00Z' }

async function dataOf(call: Call, source: Pick<BlockSource, 'get'>, cid: CID): Promise<object> {
  const data = requireUnixFs(parsePb(cid, await source.get(cid, call.signal)))
  const { type, size, mode } = statOf(data)
  return {
    Size: size,
    Type: types[type],
    Target: type === 'symlink' ? Buffer.from(data.data).toString('utf8') : '',
    Mode: mode,
    ModTime: timeOf(data.mtime) ?? nothing.ModTime,
  }
}

/** Prints a time as Go does: RFC 3339 with as many digits as it has. Undefined beyond the years of four digits. */
function timeOf(mtime: UnixFsData['mtime']): string | undefined {
  if (mtime === undefined || mtime.secs < -62_135_596_800n || mtime.secs > 253_402_300_799n) return undefined
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  const seconds = new Date(Number(mtime.secs) * 1000).toISOString().slice(0, 19)
  const digits = String(mtime.nsecs).padStart(9, '0').replace(/0+$/, '')
  return `${seconds}${digits === '' ? '' : `.${digits}`}Z`
}
