import type { CID } from 'multiformats/cid'
import type { BackendCall, ByteStream, IpfsBackend, IpfsPath, PinProgress } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import { readWhole } from '../read-whole.ts'
import { createKuboAdd, uploadOne } from './kubo-add.ts'
import { cidOf, isObject, linkOf, sizeOf } from './kubo-answers.ts'
import type { KuboBlocks } from './kubo-directories.ts'
import { createKuboPins } from './kubo-pins.ts'
import { createKuboRemovals } from './kubo-removals.ts'
import { createKuboRpc } from './kubo-rpc.ts'

export interface KuboBackendOptions {
  /** The RPC of a Kubo: `http://kubo:5001`. */
  readonly url: string
  /** Keeps further secrets, such as a key in the path of `url`, out of the node's words in errors. Default: none. */
  readonly redact?: ((text: string) => string) | undefined
  readonly clock?: Clock | undefined
}

/** Largest block that is read, in bytes: Kubo makes none above 2 MiB unless it is told to. */
const largestBlock = 4 * 1024 * 1024
/** Time between two reports of a walk over the blocks of a pin, in ms. */
const reportMs = 500

/**
 * Creates a backend over the RPC of a Kubo; everything streams through. Each `root` that it reports was pinned there, under the name
 * `wayleave`. `release` unpins it, and Kubo's own collector removes it. The pins of others stay.
 */
export function createKuboBackend({ url, redact, clock = systemClock }: KuboBackendOptions): IpfsBackend {
  const rpc = createKuboRpc(url, clock, redact)
  const { post, lines, answer, stream, close } = rpc
  const pins = createKuboPins(rpc)
  const removals = createKuboRemovals(rpc)

  async function blockAlone(cid: CID, call: BackendCall): Promise<PinProgress> {
    const { Size: size } = await answer({ command: 'block/stat', query: argOf(cid), ...call }, 'Size')
    return { blocks: 1, bytes: sizeOf(size), whole: true }
  }

  async function* walked(cid: CID, call: BackendCall): AsyncGenerator<PinProgress> {
    let last: Record<string, unknown> = {}
    let reported = clock.now()
    try {
      for await (const line of lines({ command: 'dag/stat', query: [...argOf(cid), ['progress', 'true']], ...call })) {
        last = line
        const { DagStats: [stat] = [] } = line as { readonly DagStats?: readonly unknown[] }
        if (!isObject(stat) || clock.now() - reported < reportMs) continue
        reported = clock.now()
        yield { blocks: Number(sizeOf(stat['NumBlocks'])), bytes: sizeOf(stat['Size'] ?? 0), whole: false }
      }
    } catch (thrown) {
      // Kubo divides 0 by 0 for a DAG without a byte, which is one empty block.
      if (!(thrown instanceof IpfsError) || !thrown.message.includes('unsupported value: NaN')) throw thrown
      return yield await blockAlone(cid, call)
    }
    yield { blocks: Number(sizeOf(last['UniqueBlocks'])), bytes: sizeOf(last['TotalSize']), whole: true }
  }

  const nodeBlocks: KuboBlocks = {
    async getBlock(cid, call) {
      const query = [...argOf(cid), ...(call.isLocal === true ? [offline] : [])]
      const bytes = await stream({ command: 'block/get', query, ...call })
      return readWhole(bytes, largestBlock, `expected a block of at most ${largestBlock} bytes`)
    },
    async putBlock(bytes, { version, codec, hash }, call) {
      const kind: [string, string][] =
        version === 0
          ? [['format', 'v0']]
          : [
              ['cid-codec', codec],
              ['mhtype', hash],
            ]
      const asked = { command: 'block/put', query: kind, upload: uploadOne(bytesOf(bytes)), ...call }
      return cidOf((await answer(asked, 'Key'))['Key'])
    },
  }

  return {
    name: 'kubo',
    ...createKuboAdd(rpc, pins, nodeBlocks),

    async cat(path, { offset, length }, call) {
      const query: [string, string][] = [
        ['arg', textOf(path)],
        ['offset', `${offset}`],
      ]
      if (length !== undefined) query.push(['length', `${length}`])
      const reply = await post({ command: 'cat', query, ...call })
      const size = sizeOf(reply.header('x-content-length'))
      return { size, bytes: whole(reply.bytes, size) }
    },

    get: (path, _name, call) => stream({ command: 'get', query: [['arg', textOf(path)], archive], ...call }),

    async resolve(path, call) {
      const asked = { command: 'dag/resolve', query: [['arg', textOf(path)]], ...call } as const
      const { Cid: cid, RemPath: rest } = await answer(asked, 'Cid')
      return {
        cid: linkOf(cid),
        remainder: String(rest ?? '')
          .split('/')
          .filter((segment) => segment !== ''),
      }
    },

    getBlock: nodeBlocks.getBlock,
    hasBlock: removals.isHere,
    putBlock: (bytes, shape, call) => removals.put(bytes, shape, call, () => nodeBlocks.putBlock(bytes, shape, call)),
    removeBlock: removals.remove,

    exportCar: (cid, call) => stream({ command: 'dag/export', query: [...argOf(cid), quiet], ...call }),

    async *hold(cid, { recursive }, call) {
      for await (const { blocks, bytes } of pins.hold(cid, { recursive }, call)) {
        yield { blocks: Number(sizeOf(blocks)), bytes: sizeOf(bytes), whole: false }
      }
      if (!recursive) return yield await blockAlone(cid, call)
      yield* walked(cid, call)
    },

    release: (cid, _, call) => pins.release(cid, call),
    isHeld: (cid, how, call) => pins.has(cid, how, call),
    version: async (call) =>
      (await answer({ command: 'version', query: [], ...call }, 'Version')) as Record<string, string>,
    id: (call) => answer({ command: 'id', query: [], ...call }, 'ID'),
    close: async () => close(),
    [Symbol.asyncDispose]: async () => close(),
  }
}

const archive = ['archive', 'true'] as const
const offline: [string, string] = ['offline', 'true']
const quiet = ['progress', 'false'] as const

/** Throws `truncated` if bytes are missing: a proxy on the way may leave out the trailer with the reason. */
async function* whole(bytes: ByteStream, size: bigint): AsyncGenerator<Uint8Array> {
  let left = size
  for await (const chunk of bytes) {
    left -= BigInt(chunk.byteLength)
    yield chunk
  }
  if (left > 0n) throw new IpfsError('truncated', `the IPFS node left out the last ${left} bytes`)
}

async function* bytesOf(bytes: Uint8Array): ByteStream & AsyncGenerator<Uint8Array> {
  yield bytes
}

function argOf(cid: CID): [string, string][] {
  return [['arg', cid.toString()]]
}

function textOf({ cid, segments }: IpfsPath): string {
  return ['/ipfs', cid.toString(), ...segments].join('/')
}
