import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as json from 'multiformats/codecs/json'
import * as raw from 'multiformats/codecs/raw'
import { IpfsError } from '../error.ts'
import { filesOf, openUpload } from './add.ts'
import { content, lines, single } from './answers.ts'
import { largestBlock, one, pinBlock } from './block-commands.ts'
import { type Call, type Command, readWhole } from './call.ts'
import { readIpfsPath } from './ipfs-path.ts'
import { cidAt } from './paths.ts'
import { allOrNone, mayStore, type NewPins, newPins } from './pins.ts'

interface Codec {
  readonly name: string
  readonly code: number
  encode(node: unknown): Uint8Array
  decode(bytes: Uint8Array): unknown
}

const codecs: readonly Codec[] = [dagCbor, dagJson, dagPb as Codec, json, raw as Codec]

function codecOf(is: (codec: Codec) => boolean, asked: string | number): Codec {
  const codec = codecs.find(is)
  if (codec !== undefined) return codec
  const known = codecs.map(({ name }) => name).join(', ')
  throw new IpfsError('unsupported', `no codec ${JSON.stringify(asked)} here: expected one of ${known}`)
}

const codecNamed = (name: string): Codec => codecOf((codec) => codec.name === name, name.slice(0, 64))

/** What a codec says of bytes or a value that are none of its own. */
function coded<T>(name: string, run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    throw new IpfsError('bad_content', `${name}: ${thrown instanceof Error ? thrown.message : 'unreadable'}`, {
      cause: thrown,
    })
  }
}

/** `POST /api/v0/dag/get`. Source: Kubo `core/commands/dag/get.go`. */
export const dagGet: Command = {
  argument: 'ref',
  options: { 'output-codec': 'string' },
  async run(call) {
    const { backend, backendCall, options } = call
    const output = codecNamed(options.string('output-codec') || 'dag-json')
    const path = readIpfsPath(options.args[0]!)
    await call.mayDownload()
    const { cid, remainder } = await call.wait(backend.resolve(path, backendCall))
    const block = await call.wait(backend.getBlock(cid, backendCall))
    const input = codecOf(({ code }) => code === cid.code, cid.code)
    let node = coded(input.name, () => input.decode(block))
    for (const segment of remainder) node = member(node, segment)
    const bytes = coded(output.name, () => output.encode(node))
    return content(call, one(bytes), undefined)
  },
}

function member(node: unknown, segment: string): unknown {
  const isReadable =
    typeof node === 'object' && node !== null && !(node instanceof Uint8Array) && CID.asCID(node) === null
  if (!isReadable || !Object.hasOwn(node, segment)) {
    throw new IpfsError('not_found', `no link named ${JSON.stringify(segment.slice(0, 200))}`)
  }
  return (node as Readonly<Record<string, unknown>>)[segment]
}

/** `POST /api/v0/dag/put`. Source: Kubo `core/commands/dag/put.go`. */
export const dagPut: Command = {
  options: { 'allow-big-block': 'bool', hash: 'string', 'input-codec': 'string', pin: 'bool', 'store-codec': 'string' },
  async run(call) {
    const entries = await openUpload(call, 'object data')
    const { backend, backendCall, options } = call
    const input = codecNamed(options.string('input-codec') || 'dag-json')
    const store = codecNamed(options.string('store-codec') || 'dag-cbor')
    const shape = { version: 1, codec: store.name, hash: options.string('hash') || 'sha2-256' } as const
    if (options.bool('pin') === true) await mayStore(call)
    const pins = newPins(call)
    async function* work(): AsyncGenerator<object, void, undefined> {
      for await (const file of filesOf(entries)) {
        // A text is longer than the block that it becomes.
        const bytes = await readWhole(file, 2 * largestBlock, `an object may have ${2 * largestBlock} bytes`)
        const node = coded(input.name, () => input.decode(bytes))
        const block = coded(store.name, () => store.encode(node))
        if (block.byteLength > largestBlock) throw new IpfsError('too_large', `a block may have ${largestBlock} bytes`)
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
  async run(call) {
    const path = readIpfsPath(call.options.args[0]!)
    const { cid, remainder } = await call.wait(call.backend.resolve(path, call.backendCall))
    return single({ Cid: { '/': String(cid) }, RemPath: remainder.join('/') })
  },
}

/** `POST /api/v0/dag/export`: a CARv1. Source: Kubo `core/commands/dag/export.go`. */
export const dagExport: Command = {
  argument: 'root',
  options: { progress: 'bool' },
  short: { p: 'progress' },
  async run(call) {
    const cid = await cidAt(call, call.options.args[0]!)
    await call.mayDownload()
    return content(call, await call.wait(call.backend.exportCar(cid, call.backendCall)))
  },
}

/** `POST /api/v0/dag/import`: all roots pinned, or none. Source: Kubo `core/commands/dag/import.go`. */
export const dagImport: Command = {
  options: { 'allow-big-block': 'bool', 'pin-roots': 'bool', silent: 'bool', stats: 'bool' },
  async run(call) {
    const entries = await openUpload(call, 'path')
    const isPinned = call.options.bool('pin-roots') ?? true
    if (isPinned) await mayStore(call)
    const pins = newPins(call)
    return lines(allOrNone(pins, importLines(call, filesOf(entries), isPinned ? pins : undefined)), { eager: false })
  },
}

async function* importLines(
  call: Call,
  files: AsyncIterable<AsyncIterable<Uint8Array>>,
  pins: NewPins | undefined,
): AsyncGenerator<object, void, undefined> {
  const { backend, backendCall, options } = call
  const isSilent = options.bool('silent') === true
  let blocks = 0
  let bytes = 0n
  for await (const file of files) {
    let latest = { blocks: 0, bytes: 0n }
    for await (const event of backend.importCar(file, backendCall)) {
      if (event.type === 'progress') latest = event
      else if (pins !== undefined) {
        await pinBlock(call, pins, event.cid)
        if (!isSilent) yield { Root: { Cid: { '/': String(event.cid) }, PinErrorMsg: '' } }
      }
    }
    blocks += latest.blocks
    bytes += latest.bytes
  }
  if (!isSilent && options.bool('stats') === true) {
    yield { Stats: { BlockCount: blocks, BlockBytesCount: Number(bytes) } }
  }
}
