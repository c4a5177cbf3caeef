import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Busboy } from '@fastify/busboy'
import { decode, type PBNode } from '@ipld/dag-pb'
import { importer, type ImportCandidate } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { trickle } from 'ipfs-unixfs-importer/layout'
import { CID } from 'multiformats/cid'

/** What arrived of one part of an upload. */
export interface Part {
  readonly field: string
  readonly filename: string
  readonly type: string
  readonly bytes: Buffer
}

export interface Call {
  /** `add`, `block/get`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A host of this API over real HTTP, with blocks in memory. `twist` answers a call instead of it, by its own rules. */
export interface TestHost extends AsyncDisposable {
  readonly url: string
  readonly calls: string[]
  readonly parts: Part[]
  readonly blocks: Map<string, Uint8Array>
  /** Imports without HTTP; the CID of the last entry. */
  store(entries: Iterable<ImportCandidate>, options?: object): Promise<string>
}

type Twist = (call: Call) => boolean | undefined | void | Promise<boolean | undefined | void>

export async function startTestHost(twist: Twist = () => false): Promise<TestHost> {
  const blocks = new Map<string, Uint8Array>()
  const files = new Map<string, Uint8Array>()
  const pins = new Set<string>()
  const calls: string[] = []
  const parts: Part[] = []
  const blockstore = {
    put(cid: CID, bytes: Uint8Array): CID {
      blocks.set(keyOf(cid), bytes)
      return cid
    },
  }

  async function store(entries: Iterable<ImportCandidate>, options: object = {}): Promise<string> {
    let last = ''
    for await (const { cid } of importer([...entries], blockstore, { profile: 'unixfs-v0-2015', ...options })) {
      last = cid.toString()
    }
    return last
  }

  async function answer(call: Call): Promise<void> {
    const { path, query, request, response } = call
    const arg = query.get('arg') ?? ''
    if (path === 'add') {
      const entries = await readParts(request)
      parts.push(...entries)
      response.writeHead(200, { 'content-type': 'application/json', trailer: 'X-Stream-Error' })
      for await (const line of addAll(entries, query)) {
        pins.add(line.Hash)
        response.write(`${JSON.stringify(line)}\n`)
      }
      response.end()
    } else if (path === 'pin/ls') {
      if (pins.has(arg)) response.end(JSON.stringify({ Keys: { [arg]: { Type: 'recursive', Name: '' } } }))
      else refuse(response, 500, `path '${arg}' is not pinned`)
    } else if (path === 'block/get') {
      const bytes = blocks.get(keyOf(CID.parse(arg)))
      if (bytes === undefined) refuse(response, 500, 'block was not found locally (offline): ipld: could not find')
      else response.end(bytes)
    } else if (path === 'dag/export') {
      response.write(header)
      for (const section of sections(CID.parse(arg))) if (!response.write(section)) await drained(response)
      response.end()
    } else if (path === 'cat') {
      const bytes = files.get(arg)?.subarray(Number(query.get('offset') ?? 0))
      const cut = bytes?.subarray(0, query.has('length') ? Number(query.get('length')) : undefined)
      if (cut === undefined) refuse(response, 500, 'this dag node is a directory')
      else response.setHeader('x-content-length', cut.byteLength).end(cut)
    } else refuse(response, 404, '404 page not found', 'text')
  }

  async function* addAll(
    entries: readonly Part[],
    query: URLSearchParams,
  ): AsyncGenerator<{ readonly Name: string; readonly Hash: string; readonly Size: string }> {
    const candidates = entries.map(({ filename, type, bytes }): ImportCandidate => {
      const path = decodeURIComponent(filename)
      if (type === 'application/x-directory') return { path }
      return type === 'application/symlink' ? { path, link: bytes.toString() } : { path, content: bytes }
    })
    const options = {
      profile: 'unixfs-v0-2015',
      cidVersion: Number(query.get('cid-version')) as 0 | 1,
      rawLeaves: query.get('raw-leaves') === 'true',
      wrapWithDirectory: query.get('wrap-with-directory') === 'true',
      chunker: chunkerOf(query.get('chunker')!),
      ...(query.get('trickle') === 'true'
        ? ({ layout: trickle(), leafType: 'raw', reduceSingleLeafToSelf: false } as const)
        : {}),
    } as const
    for await (const { cid, path, size } of importer(candidates, blockstore, options)) {
      const content = entries.find(({ filename }) => decodeURIComponent(filename) === path)?.bytes
      if (content !== undefined) files.set(cid.toString(), content)
      const isRoot = options.wrapWithDirectory && path === ''
      yield { Name: isRoot ? '' : path || cid.toString(), Hash: cid.toString(), Size: String(size) }
    }
  }

  function* sections(cid: CID, seen = new Set<string>()): Generator<Uint8Array> {
    const key = keyOf(cid)
    if (seen.has(key)) return
    seen.add(key)
    const bytes = blocks.get(key)!
    yield sectionOf(cid, bytes)
    if (cid.code === 0x70) for (const { Hash } of (decode(bytes) as PBNode).Links) yield* sections(Hash, seen)
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://host')
    const call = { path: pathname.replace('/api/v0/', ''), query: searchParams, request, response }
    calls.push(call.path)
    request.on('error', () => {})
    response.on('error', () => {})
    void (async () => {
      if ((await twist(call)) !== true) await answer(call)
    })().catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    parts,
    blocks,
    store,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A CARv1 header without roots: {"roots": [], "version": 1}. */
export const header: Buffer = Buffer.from('11a265726f6f7473806776657273696f6e01', 'hex')

/** A block as it stands in a CAR. */
export function sectionOf(cid: CID, bytes: Uint8Array): Buffer {
  const length: number[] = []
  let rest = cid.bytes.byteLength + bytes.byteLength
  for (; rest >= 0x80; rest >>= 7) length.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([...length, rest]), cid.bytes, bytes])
}

/** All that an iteration gives. */
export async function allOf<T>(source: AsyncIterable<T>): Promise<T[]>
export async function allOf<T, U>(source: AsyncIterable<T>, map: (value: T) => U | Promise<U>): Promise<U[]>
export async function allOf(
  source: AsyncIterable<unknown>,
  map = (value: unknown): unknown => value,
): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const value of source) all.push(await map(value))
  return all
}

export function refuse(response: ServerResponse, status: number, message: string, as: 'json' | 'text' = 'json'): true {
  response.statusCode = status
  response.end(as === 'text' ? `${message}\n` : JSON.stringify({ Message: message, Code: 0, Type: 'error' }))
  return true
}

type Chunker = ReturnType<typeof fixedSize>

/** What is shorter than a chunk of `rabin` or `buzhash` is one chunk. */
function chunkerOf(text: string): Chunker {
  return fixedSize({ chunkSize: text.startsWith('size-') ? Number(text.slice('size-'.length)) : 262_144 })
}

/** Blocks by what they hold, whatever the version of their CID. */
function keyOf(cid: CID): string {
  return cid.toV1().toString()
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

/** The parts of an upload, read by a parser that is not ours. */
export function readParts(request: IncomingMessage): Promise<Part[]> {
  return new Promise((resolve, reject) => {
    const found: Part[] = []
    const busboy = new Busboy({ headers: request.headers as { 'content-type': string }, preservePath: true })
    busboy.on('file', (field, stream, filename, _encoding, type) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => found.push({ field, filename, type, bytes: Buffer.concat(chunks) }))
    })
    busboy.on('finish', () => resolve(found))
    busboy.on('error', reject)
    request.on('error', reject)
    request.pipe(busboy)
  })
}
