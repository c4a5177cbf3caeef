import { CID } from 'multiformats/cid'
import type { AddEntry, AddEvent, AddOptions, BackendCall, ByteStream, IpfsBackend, IpfsPath } from '../backend.ts'
import type { IpfsUpload } from '../client/client.ts'
import { linesOf } from '../client/lines.ts'
import { uploadParts } from '../client/upload-parts.ts'
import type { Clock } from '../clock.ts'
import { randomText, systemClock } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import { createKuboHttp, type KuboCall } from './kubo-http.ts'

export interface KuboBackendOptions {
  /** Of the RPC of a Kubo, or of the proxy of an IPFS Cluster: `http://kubo:5001`. */
  readonly url: string
  readonly clock?: Clock | undefined
}

/** Largest block that is read, in bytes: Kubo makes none above 2 MiB unless it is told to. */
const largestBlock = 4 * 1024 * 1024

/**
 * A backend over the RPC of a Kubo: everything streams through. What is told as root was pinned there; `release` unpins it, and
 * Kubo's own collector removes it.
 */
export function createKuboBackend({ url, clock = systemClock }: KuboBackendOptions): IpfsBackend {
  const http = createKuboHttp(url, clock)

  const lines = async function* (call: KuboCall): AsyncGenerator<Record<string, unknown>> {
    const { bytes } = await http.post(call)
    yield* linesOf(bytes, (text) => text)
  }

  /** The last line of an answer. */
  async function answerOf(call: KuboCall): Promise<Record<string, unknown>> {
    let last: Record<string, unknown> | undefined
    for await (const line of lines(call)) last = line
    if (last === undefined) throw new IpfsError('invalid_response', `the IPFS node gave no answer to ${call.command}`)
    return last
  }

  /** Resolves with the bytes once the first of them, or their end, is here. */
  async function stream(call: KuboCall): Promise<ByteStream> {
    return (await http.post(call)).bytes
  }

  async function* add(
    entries: AsyncIterable<AddEntry>,
    options: AddOptions,
    call: BackendCall,
  ): AsyncGenerator<AddEvent> {
    let isNameless = false
    const upload = uploadOf(entries, (path) => void (isNameless ||= path === ''))
    const { onlyHash, wrapWithDirectory } = options
    const roots = new Set<string>()
    for await (const line of lines({ command: 'add', query: addQuery(options), upload, ...call })) {
      const { Name: name, Hash: hash, Bytes: bytes } = line
      const named = String(name ?? '')
      if (typeof hash !== 'string') {
        if (typeof bytes === 'number') yield { type: 'progress', path: named, bytes }
        continue
      }
      const cid = cidOf(hash)
      const size = sizeOf(line['Size'])
      // Kubo names a file without a name by its CID.
      const path = isNameless && !wrapWithDirectory && named === hash ? '' : named
      yield { type: 'added', path, cid, size, ...attributesOf(line) }
      const isRoot = wrapWithDirectory ? named === '' : !named.includes('/')
      if (!isRoot || onlyHash) continue
      roots.add(hash)
      yield { type: 'root', cid, size }
    }
    // Of an upload that comes back to a directory after another entry, Kubo pins not every one that it tells.
    if (options.pin && roots.size > 1) for (const root of roots) await answerOf(pinOf(root, call))
  }

  return {
    name: 'kubo',
    add,

    async cat(path, { offset, length }, call) {
      const query: [string, string][] = [
        ['arg', textOf(path)],
        ['offset', `${offset}`],
      ]
      if (length !== undefined) query.push(['length', `${length}`])
      const reply = await http.post({ command: 'cat', query, ...call })
      return { size: sizeOf(reply.header('x-content-length')), bytes: reply.bytes }
    },

    get: (path, _name, call) => stream({ command: 'get', query: [['arg', textOf(path)], archive], ...call }),

    async resolve(path, call) {
      const { Cid: cid, RemPath: rest } = await answerOf({
        command: 'dag/resolve',
        query: [['arg', textOf(path)]],
        ...call,
      })
      return {
        cid: linkOf(cid),
        remainder: String(rest ?? '')
          .split('/')
          .filter((segment) => segment !== ''),
      }
    },

    async getBlock(cid, call) {
      const chunks: Uint8Array[] = []
      let length = 0
      for await (const chunk of await stream({ command: 'block/get', query: argOf(cid), ...call })) {
        length += chunk.byteLength
        if (length > largestBlock) throw new IpfsError('too_large', `expected a block of at most ${largestBlock} bytes`)
        chunks.push(chunk)
      }
      return Buffer.concat(chunks, length)
    },

    async putBlock(bytes, { version, codec, hash }, call) {
      const kind: [string, string][] =
        version === 0
          ? [['format', 'v0']]
          : [
              ['cid-codec', codec],
              ['mhtype', hash],
            ]
      const { Key: key } = await answerOf({
        command: 'block/put',
        query: kind,
        upload: uploadOne(bytesOf(bytes)),
        ...call,
      })
      return cidOf(key)
    },

    exportCar: (cid, call) => stream({ command: 'dag/export', query: [...argOf(cid), quiet], ...call }),

    async *importCar(car, call) {
      const query: [string, string][] = [
        ['pin-roots', 'true'],
        ['stats', 'true'],
      ]
      for await (const { Root: root, Stats: stats } of lines({
        command: 'dag/import',
        query,
        upload: uploadOne(car),
        ...call,
      })) {
        if (isObject(root)) {
          const { Cid: cid, PinErrorMsg: failure } = root
          if (failure) throw new IpfsError('bad_content', `the root could not be pinned: ${String(failure)}`)
          yield { type: 'root', cid: linkOf(cid) }
        } else if (isObject(stats)) {
          yield { type: 'progress', blocks: Number(stats['BlockCount']), bytes: sizeOf(stats['BlockBytesCount']) }
        }
      }
    },

    async *hold(cid, { recursive }, call) {
      const query: [string, string][] = [...argOf(cid), ['recursive', `${recursive}`], ['progress', 'true']]
      try {
        for await (const { Progress: blocks, Bytes: bytes } of lines({ command: 'pin/add', query, ...call })) {
          if (typeof blocks === 'number') yield { blocks, bytes: sizeOf(bytes ?? 0), whole: false }
        }
      } catch (thrown) {
        // Another project holds all of it, and so this block.
        if (recursive || !(thrown instanceof IpfsError && thrown.message.endsWith('already pinned recursively')))
          throw thrown
      }
      if (recursive) {
        const stat = await answerOf({ command: 'dag/stat', query: [...argOf(cid), quiet], ...call })
        yield { blocks: Number(stat['UniqueBlocks']), bytes: sizeOf(stat['TotalSize']), whole: true }
      } else {
        const { Size: size } = await answerOf({ command: 'block/stat', query: argOf(cid), ...call })
        yield { blocks: 1, bytes: sizeOf(size), whole: true }
      }
    },

    async release(cid, _, call) {
      // The pin there is of the project that held most of it, which need not be the last.
      const query: [string, string][] = [...argOf(cid), ['recursive', 'true']]
      try {
        await answerOf({ command: 'pin/rm', query, ...call })
      } catch (thrown) {
        // Somebody else unpinned it there: nothing is left to do.
        if (!(thrown instanceof IpfsError && thrown.code === 'not_pinned')) throw thrown
      }
    },

    version: async (call) => (await answerOf({ command: 'version', query: [], ...call })) as Record<string, string>,
    id: (call) => answerOf({ command: 'id', query: [], ...call }),
    close: async () => http.close(),
    [Symbol.asyncDispose]: async () => http.close(),
  }
}

const archive = ['archive', 'true'] as const
const quiet = ['progress', 'false'] as const

/** Kubo's names of the options. Mode and mtime stand beside the parts. Source: Kubo RPC `/api/v0/add`. */
function addQuery(options: AddOptions): KuboCall['query'] {
  const { cidVersion, hash, chunker, rawLeaves, trickle, inline, inlineLimit, onlyHash, pin } = options
  const named = {
    'cid-version': cidVersion,
    hash,
    chunker,
    'raw-leaves': rawLeaves,
    trickle,
    inline,
    ...(inline && { 'inline-limit': inlineLimit }),
    'only-hash': onlyHash,
    pin: pin && !onlyHash,
    'wrap-with-directory': options.wrapWithDirectory,
    'preserve-mode': options.preserveMode,
    'preserve-mtime': options.preserveMtime,
    progress: options.progress,
  }
  return Object.entries(named).map(([name, value]) => [name, `${value}`])
}

function uploadOf(entries: AsyncIterable<AddEntry>, onPath: (path: string) => void): NonNullable<KuboCall['upload']> {
  const boundary = randomText()
  const bytes = uploadParts(entries as AsyncIterable<IpfsUpload>, {
    boundary,
    keepBlobs: false,
    preserveMode: true,
    preserveMtime: true,
    witness: undefined,
    onEntry: ({ path }) => onPath(path),
    onBytes: () => {},
    onEnd: () => {},
  }) as ByteStream
  return { boundary, bytes }
}

function uploadOne(content: ByteStream): NonNullable<KuboCall['upload']> {
  return uploadOf(entriesOf(content), () => {})
}

async function* entriesOf(content: ByteStream): AsyncGenerator<AddEntry> {
  yield { type: 'file', path: 'file', content }
}

async function* bytesOf(bytes: Uint8Array): ByteStream & AsyncGenerator<Uint8Array> {
  yield bytes
}

function pinOf(root: string, call: BackendCall): KuboCall {
  return { command: 'pin/add', query: [['arg', root]], ...call }
}

function argOf(cid: CID): [string, string][] {
  return [['arg', cid.toString()]]
}

function textOf({ cid, segments }: IpfsPath): string {
  return ['/ipfs', cid.toString(), ...segments].join('/')
}

function cidOf(text: unknown): CID {
  try {
    return CID.parse(String(text))
  } catch (cause) {
    throw new IpfsError('invalid_response', 'expected a CID in the answer of the IPFS node', { cause })
  }
}

/** `{ "/": "Qm…" }` */
function linkOf(value: unknown): CID {
  return cidOf(isObject(value) ? value['/'] : undefined)
}

function sizeOf(value: unknown): bigint {
  if (/^\d{1,20}$/.test(String(value))) return BigInt(String(value))
  throw new IpfsError('invalid_response', 'expected a number of bytes in the answer of the IPFS node')
}

function attributesOf(line: Readonly<Record<string, unknown>>): Pick<AddEvent & { type: 'added' }, 'mode' | 'mtime'> {
  const { Mode: mode, Mtime: secs, MtimeNsecs: nsecs } = line
  return {
    ...(typeof mode === 'string' && /^[0-7]+$/.test(mode) && { mode: Number.parseInt(mode, 8) }),
    ...(typeof secs === 'number' && {
      mtime: { secs: BigInt(secs), ...(typeof nsecs === 'number' && { nsecs }) },
    }),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
