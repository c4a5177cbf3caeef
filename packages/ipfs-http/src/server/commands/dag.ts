import type { CID } from 'multiformats/cid'
import { codecCodeOf, convertNode, encodeNode } from '../../codecs.ts'
import { IpfsError } from '../../error.ts'
import { readWhole } from '../../read-whole.ts'
import { content, lines, single } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidAt, readIpfsPath } from '../ipfs-path.ts'
import { allOrNone, type NewPins, newPins, pinBlock } from '../pins.ts'
import { mostBlockBytes } from '../../unixfs/put-block.ts'
import { filesOf, openUpload } from '../upload.ts'
import { withRest } from '../with-rest.ts'

/** `POST /api/v0/dag/get`. Source: Kubo `core/commands/dag/get.go`. */
export const dagGet: Command = {
  argument: 'ref',
  bodyArguments: true,
  options: { 'output-codec': 'string' },
  async run(call) {
    const { backend, backendCall, options } = call
    const output = options.string('output-codec') ?? 'dag-json'
    codecCodeOf(output)
    const path = readIpfsPath(options.args[0]!)
    await call.mayDownload()
    const { cid, remainder } = await call.wait(backend.resolve(path, backendCall))
    const block = await call.wait(backend.getBlock(cid, backendCall))
    return content(call, convertNode(cid, block, remainder, output))
  },
}

/** `POST /api/v0/dag/put`. Source: Kubo `core/commands/dag/put.go`. */
export const dagPut: Command = {
  stores: true,
  options: { 'allow-big-block': 'bool', hash: 'string', 'input-codec': 'string', pin: 'bool', 'store-codec': 'string' },
  async run(call) {
    const entries = await openUpload(call, 'object data')
    const { backend, backendCall, options } = call
    const input = options.string('input-codec') ?? 'dag-json'
    const store = options.string('store-codec') ?? 'dag-cbor'
    for (const codec of [input, store]) codecCodeOf(codec)
    const shape = { version: 1, codec: store, hash: options.string('hash') || 'sha2-256' } as const
    call.storage.mayStore()
    const pins = newPins(call)
    async function* work(): AsyncGenerator<object, void, undefined> {
      for await (const file of filesOf(entries, 'expected a regular file')) {
        // Text is longer than the block that it becomes.
        const bytes = await readWhole(file, 2 * mostBlockBytes, `an object may have ${2 * mostBlockBytes} bytes`)
        const block = encodeNode(bytes, input, store)
        if (block.byteLength > mostBlockBytes)
          throw new IpfsError('too_large', `a block may have ${mostBlockBytes} bytes`)
        const cid = await call.wait(backend.putBlock(block, shape, backendCall))
        if (options.bool('pin') === true) await pinBlock(call, pins, cid)
        yield { Cid: { '/': String(cid) } }
      }
    }
    return lines(allOrNone(pins, work()), { eager: false })
  },
}

/** `POST /api/v0/dag/resolve`. Source: Kubo `core/commands/dag/resolve.go`. */
export const dagResolve: Command = {
  argument: 'ref',
  bodyArguments: true,
  async run(call) {
    const path = readIpfsPath(call.options.args[0]!)
    const { cid, remainder } = await call.wait(call.backend.resolve(path, call.backendCall))
    return single({ Cid: { '/': String(cid) }, RemPath: remainder.map((segment) => `/${segment}`).join('') })
  },
}

/** `POST /api/v0/dag/export`: a CARv1. Source: Kubo `core/commands/dag/export.go`. */
export const dagExport: Command = {
  argument: 'root',
  bodyArguments: true,
  options: { progress: 'bool' },
  short: { p: 'progress' },
  async run(call) {
    const cid = await cidAt(call, call.options.args[0]!)
    await call.mayDownload()
    return content(call, await call.wait(call.backend.exportCar(cid, call.backendCall)), {
      type: 'application/vnd.ipld.car',
    })
  },
}

/**
 * `POST /api/v0/dag/import`: pins the roots of which all blocks are here, and says of each other what is missing. Any other failure pins none.
 * Source: Kubo `core/commands/dag/import.go`.
 */
export const dagImport: Command = {
  stores: true,
  options: { 'allow-big-block': 'bool', 'local-only': 'bool', 'pin-roots': 'bool', silent: 'bool', stats: 'bool' },
  async run(call) {
    const entries = await openUpload(call, 'path')
    const asked = call.options.bool('pin-roots')
    const isPartial = call.options.bool('local-only') === true
    if (isPartial && asked === true) {
      const words = 'implies --pin-roots=false and cannot be combined with --pin-roots=true; please drop one of them'
      throw new IpfsError('bad_argument', `--local-only ${words}`)
    }
    const isPinned = asked ?? !isPartial
    call.storage.mayStore()
    const pins = newPins(call)
    const files = filesOf(entries, 'expected a file handle')
    return lines(allOrNone(pins, importLines(call, files, isPinned ? pins : undefined)), { eager: false })
  },
}

/** Pins a root; returns the reason where a block of it is not here. */
async function pinProblem(call: Call, pins: NewPins, cid: CID): Promise<string | undefined> {
  try {
    return void (await pinBlock(call, pins, cid))
  } catch (thrown) {
    if (thrown instanceof IpfsError && thrown.code === 'not_found') return thrown.message
    throw thrown
  }
}

async function* importLines(
  call: Call,
  files: AsyncIterable<AsyncIterable<Uint8Array>>,
  pins: NewPins | undefined,
): AsyncGenerator<object, void, undefined> {
  const { backend, backendCall, options } = call
  const reported = new Set<string>()
  let blocks = 0
  let bytes = 0n
  for await (const file of files) {
    let latest = { blocks: 0, bytes: 0n }
    const unkept: CID[] = []
    // A backend that pins as it imports may have pinned more roots than were read from it.
    const events = withRest(backend.importCar(file, { ...backendCall, isLocal: pins === undefined }), (late) => {
      if (late.type === 'root') unkept.push(late.cid)
    })
    try {
      for await (const event of events) {
        if (event.type === 'progress') latest = event
        else if (pins === undefined) unkept.push(event.cid)
        else {
          const root = String(event.cid)
          if (reported.has(root)) continue
          reported.add(root)
          const problem = event.problem ?? (await pinProblem(call, pins, event.cid))
          if (problem !== undefined) call.storage.pinnedInPart()
          yield { Root: { Cid: { '/': root }, PinErrorMsg: problem ?? '' } }
        }
      }
    } finally {
      for (const cid of unkept) await call.leases.settle(cid)
    }
    blocks += latest.blocks
    bytes += latest.bytes
  }
  if (options.bool('stats') === true) {
    yield { Stats: { BlockCount: blocks, BlockBytesCount: Number(bytes) } }
  }
}
