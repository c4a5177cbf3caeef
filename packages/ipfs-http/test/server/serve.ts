import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { IpfsBackend } from '../../src/backend.ts'
import { createLocalBackend } from '../../src/local/index.ts'
import type { PinLedger } from '../../src/pin-ledger.ts'
import {
  createIpfsHandler,
  createIpfsListener,
  createMemoryPinLedger,
  type IpfsHandlerOptions,
  type IpfsListenerOptions,
  type IpfsProject,
} from '../../src/server/index.ts'

export interface Served {
  readonly port: number
  readonly url: string
  readonly ledger: PinLedger
  readonly backend: IpfsBackend
  /** What callers were told as `internal error`. */
  readonly errors: unknown[]
  post(path: string, options?: PostOptions): Promise<Answer>
}

interface PostOptions {
  readonly method?: string
  readonly body?: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  /** Whose name the `Authorization` of this test server is. */
  readonly as?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly trailers: IncomingMessage['trailers']
  readonly text: string
  readonly bytes: Buffer
  /** The answer as lines of JSON. */
  readonly lines: Record<string, unknown>[]
}

export const boundary = 'b-o-u-n-d'

/** A project that may do anything. */
export function projectOf(id: string, quota: IpfsProject['quota'] = {}): IpfsProject {
  return { id, hasBillingCard: true, quota }
}

/** The local backend in a new folder, for the length of a test. */
export async function localBackend(): Promise<IpfsBackend> {
  const dir = await mkdtemp(join(tmpdir(), 'ipfs-server-'))
  const backend = await createLocalBackend({ dir })
  onTestFinished(async () => {
    await backend.close()
    await rm(dir, { recursive: true, force: true })
  })
  return backend
}

/** The handler behind a real server, for the length of a test. The header `x-project` says who calls. */
export async function serve(
  options: Partial<IpfsHandlerOptions> & {
    readonly listener?: IpfsListenerOptions
    readonly projects?: readonly IpfsProject[]
  } = {},
): Promise<Served> {
  const backend = options.backend ?? (await localBackend())
  const ledger = options.ledger ?? createMemoryPinLedger()
  const errors: unknown[] = []
  const handler = createIpfsHandler({ onError: (thrown) => void errors.push(thrown), ...options, backend, ledger })
  const listener = createIpfsListener(handler, options.listener)
  const projects = new Map((options.projects ?? []).map((project) => [project.id, project]))
  const server = createServer((request, response) => {
    const id = String(request.headers['x-project'] ?? 'alice')
    const cors = { 'Access-Control-Expose-Headers': 'X-Stream-Output, X-Chunked-Output, X-Content-Length' }
    void listener(request, response, projects.get(id) ?? projectOf(id), cors)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const post: Served['post'] = (path, { method = 'POST', body, headers = {}, as = 'alice' } = {}) =>
    new Promise((resolve, reject) => {
      const length =
        body === undefined || 'Transfer-Encoding' in headers
          ? {}
          : { 'Content-Length': String(Buffer.byteLength(body)) }
      const sent = httpRequest({
        port,
        host: '127.0.0.1',
        path: path.startsWith('/') ? path : `/api/v0/${path}`,
        method,
        headers: { ...length, ...headers, 'x-project': as },
        agent: false,
      })
      sent.on('error', reject)
      sent.on('response', (response) => void readAnswer(response).then(resolve, reject))
      sent.end(body)
    })
  return { port, url: `http://127.0.0.1:${port}`, ledger, backend, errors, post }
}

export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString()
  return {
    status: response.statusCode!,
    headers: response.headers,
    trailers: response.trailers,
    text,
    bytes,
    get lines() {
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  }
}

/** Everything of an iteration. */
export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of source) found.push(value)
  return found
}

export interface PartText {
  /** As it stands in the header. undefined: none. */
  readonly file?: string | undefined
  readonly name?: string
  readonly type?: string
  readonly content?: string | Uint8Array
}

/** A multipart body and its headers. */
export function form(...parts: readonly PartText[]): { body: Buffer; headers: Record<string, string> } {
  const pieces: Buffer[] = []
  for (const { file, name = 'file', type = 'application/octet-stream', content = '' } of parts) {
    const fileName = file === undefined ? '' : `; filename="${file}"`
    pieces.push(
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName}\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    )
  }
  return {
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** The refusal of a request of more bytes. */
export const tooLarge = (bytes: number): string =>
  `payload too large: a request may have ${bytes} bytes (ipfs.maxRequestBytes): send several, or have it raised\n`
