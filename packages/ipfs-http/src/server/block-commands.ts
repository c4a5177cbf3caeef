import { IpfsError } from '../error.ts'
import { filesOf, openUpload } from './add.ts'
import { content, lines, single } from './answers.ts'
import type { Call, Command } from './call.ts'
import { cidWriter } from './ipfs-path.ts'
import { cidAt } from './paths.ts'
import { allOrNone, holdAndPin, mayStore, type NewPins, newPins } from './pins.ts'
import { readWhole } from './read-whole.ts'

/** Largest block, in bytes. Source: Kubo `core/commands/cmdutils/utils.go`. */
export const largestBlock: number = 2 * 1024 * 1024

/** `POST /api/v0/block/get`. Source: Kubo `core/commands/block.go`. */
export const blockGet: Command = {
  argument: 'cid',
  bodyArguments: true,
  async run(call) {
    await call.mayDownload()
    const bytes = await blockAt(call, call.options.args[0]!)
    return content(call, one(bytes), { size: BigInt(bytes.byteLength), type: 'application/vnd.ipld.raw' })
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
    if ((options.int('mhlen') ?? -1n) !== -1n) {
      throw new IpfsError(
        'unsupported',
        'mhlen: digests have the length that is usual for their function: leave it out',
      )
    }
    if (options.bool('pin') === true) await mayStore(call)
    const shape = { ...shapeOf(options.string('format') || undefined, options.string('cid-codec') || undefined), hash }
    const pins = newPins(call)
    async function* work(): AsyncGenerator<object, void, undefined> {
      for await (const file of filesOf(entries, 'expected a file')) {
        const bytes = await readWhole(
          file,
          largestBlock,
          `a block may have ${largestBlock} bytes: use add for longer content`,
        )
        const cid = await call.wait(call.backend.putBlock(bytes, shape, call.backendCall))
        if (options.bool('pin') === true) await pinBlock(call, pins, cid)
        yield { Key: write(cid), Size: bytes.byteLength }
      }
    }
    return lines(allOrNone(pins, work()), { eager: false })
  },
}

/** `format` is what Kubo had before `cid-codec`, and the only one that makes CIDs of version 0. */
function shapeOf(format: string | undefined, codec: string | undefined): { version: 0 | 1; codec: string } {
  if (format === undefined) return { version: 1, codec: codec ?? 'raw' }
  if (codec !== undefined && codec !== 'raw') {
    throw new IpfsError('bad_argument', 'unable to use "format" (deprecated) and a custom "cid-codec" at the same time')
  }
  if (format === 'v0') return { version: 0, codec: 'dag-pb' }
  const today: Readonly<Record<string, string>> = { cbor: 'dag-cbor', protobuf: 'dag-pb' }
  return { version: 1, codec: today[format] ?? format }
}

/** Pins what a block holds. */
export async function pinBlock(call: Call, pins: NewPins, cid: Awaited<ReturnType<typeof cidAt>>): Promise<void> {
  const steps = holdAndPin(call, pins, { cid, type: 'recursive', name: undefined })
  while ((await steps.next()).done !== true);
}

/** The bytes of the block that a path leads to. */
async function blockAt(call: Call, text: string): Promise<Uint8Array> {
  return call.wait(call.backend.getBlock(await cidAt(call, text), call.backendCall))
}

/** Bytes that are here as a stream. */
export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
