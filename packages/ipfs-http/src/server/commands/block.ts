import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { readWhole } from '../../read-whole.ts'
import { hashLengthOf, mostBlockBytes } from '../../unixfs/put-block.ts'
import { content, lines, single } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidAt, cidWriter } from '../ipfs-path.ts'
import { holderOf } from '../listed-pins.ts'
import { allOrNone, newPins, pinBlock } from '../pins.ts'
import { filesOf, openUpload } from '../upload.ts'

/** `POST /api/v0/block/get`. Source: Kubo `core/commands/block.go`. */
export const blockGet: Command = {
  argument: 'cid',
  bodyArguments: true,
  async run(call) {
    await call.mayDownload()
    const cid = await cidAt(call, call.options.args[0]!)
    const bytes = await call.wait(call.backend.getBlock(cid, call.backendCall))
    return content(call, bytes, { size: BigInt(bytes.byteLength), type: 'application/vnd.ipld.raw' })
  },
}

/** `POST /api/v0/block/stat`. Source: Kubo `core/commands/block.go`. */
export const blockStat: Command = {
  argument: 'cid',
  bodyArguments: true,
  async run(call) {
    const cid = await cidAt(call, call.options.args[0]!)
    const bytes = await call.wait(call.backend.getBlock(cid, call.backendCall))
    return single({ Key: cidWriter(call.options)(cid), Size: bytes.byteLength })
  },
}

/** `POST /api/v0/block/put`. Source: Kubo `core/commands/block.go`. */
export const blockPut: Command = {
  stores: true,
  options: {
    'allow-big-block': 'bool',
    'cid-codec': 'string',
    format: 'string',
    mhlen: 'int',
    mhtype: 'string',
    pin: 'bool',
  },
  short: { f: 'format' },
  async run(call) {
    const entries = await openUpload(call, 'data')
    const { options } = call
    const write = cidWriter(options)
    const hash = options.string('mhtype') || 'sha2-256'
    const length = options.int('mhlen') ?? -1n
    call.storage.mayStore()
    const shape = { ...shapeOf(options.string('format') || undefined, options.string('cid-codec') || undefined), hash }
    const pins = newPins(call)
    async function* work(): AsyncGenerator<object, void, undefined> {
      for await (const file of filesOf(entries, 'expected a file')) {
        const bytes = await readWhole(
          file,
          mostBlockBytes,
          `a block may have ${mostBlockBytes} bytes: use add for longer content`,
        )
        if (length !== -1n) await requireLength(length, hash, bytes)
        const cid = await call.wait(call.backend.putBlock(bytes, shape, call.backendCall))
        if (options.bool('pin') === true) await pinBlock(call, pins, cid)
        yield { Key: write(cid), Size: bytes.byteLength }
      }
    }
    return lines(allOrNone(pins, work()), { eager: false })
  },
}

/** Refuses a digest that is cut: one of its own length is what Kubo's Go client asks for. */
async function requireLength(length: bigint, hash: string, bytes: Uint8Array): Promise<void> {
  const own = await hashLengthOf(hash, bytes)
  if (length === BigInt(own)) return
  throw new IpfsError(
    'unsupported',
    `mhlen: digests of ${hash} have ${own} bytes here, asked for ${length}: leave it out`,
  )
}

/** The version and codec of the CID. `format` came before `cid-codec` in Kubo, and it alone makes CIDs of version 0. */
function shapeOf(format: string | undefined, codec: string | undefined): { version: 0 | 1; codec: string } {
  if (format === undefined) return { version: 1, codec: codec ?? 'raw' }
  if (codec !== undefined && codec !== 'raw') {
    throw new IpfsError('bad_argument', 'unable to use "format" (deprecated) and a custom "cid-codec" at the same time')
  }
  if (format === 'v0') return { version: 0, codec: 'dag-pb' }
  const today: Readonly<Record<string, string>> = { cbor: 'dag-cbor', protobuf: 'dag-pb' }
  return { version: 1, codec: today[format] ?? format }
}

/**
 * `POST /api/v0/block/rm`: removes blocks that the project has put, and that nobody pins. A block that stays has its reason in its line.
 * Source: Kubo `core/commands/block.go`.
 */
export const blockRm: Command = {
  argument: 'cid',
  options: { force: 'bool', quiet: 'bool' },
  short: { f: 'force', q: 'quiet' },
  async run(call) {
    return lines(removals(call), { eager: false })
  },
}

async function* removals(call: Call): AsyncGenerator<object, void, undefined> {
  const { options } = call
  const write = cidWriter(options)
  for (const text of options.args) {
    const cid = await cidAt(call, text)
    const failure = await removeBlock(call, cid)
    if (failure !== undefined) yield { Hash: write(cid), Error: failure }
    else if (options.bool('quiet') !== true) yield { Hash: write(cid) }
  }
}

/** Removes a block; returns the reason where it stays. */
async function removeBlock(call: Call, cid: CID): Promise<string | undefined> {
  const { backend, backendCall, ledger, options, project, wait } = call
  const pin = await ledger.get(project.id, String(cid))
  if (pin !== undefined) return `pinned: ${pin.type}`
  const isPinned = await ledger.isPinned(String(cid))
  const result = isPinned ? 'held' : await wait(backend.removeBlock(cid, backendCall))
  if (result === 'removed' || (result === 'missing' && options.bool('force') === true)) return undefined
  if (result === 'missing') return `ipld: could not find ${cid}`
  const holder = await holderOf(call, cid)
  if (holder !== undefined) return `pinned via ${cidWriter(options)(holder)}`
  return 'pinned or put by another: a block that nobody pins is removed by the next collection'
}
