import {
  coalesce,
  createBatchingTransport,
  createContext,
  createHttpTransport,
  createRpcClient,
  type HttpPort,
  retry,
  type RpcHandler,
  type RpcTransport,
  type SocketPort,
  systemClock,
  timeout,
} from '@wayleave/jsonrpc-core'
import { createEthersProvider, createProvider } from '@wayleave/jsonrpc-core/adapters'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { closedPort, serveHttp } from './real-server.ts'
import { call } from './support.ts'

const secrets = {
  path: 'k3yInThePath',
  query: 'k3yInTheQuery',
  user: 'us3rInfo',
  password: 'passw0rdInfo',
  header: 't0kenInAHeader',
  params: 's1gnedParams',
}
const headers = { authorization: `Bearer ${secrets.header}`, 'x-api-key': secrets.header }

/** Everything that an error shows, and those below it. */
function facesOf(thrown: unknown): string {
  const faces: string[] = []
  for (let error = thrown; error !== undefined && error !== null; error = (error as { cause?: unknown }).cause) {
    const { message, stack } = error as { message?: unknown; stack?: unknown }
    faces.push(String(error), String(message), String(stack), JSON.stringify(error) ?? '')
    faces.push(inspect(error, { depth: 10, showHidden: true }))
    for (const key of Reflect.ownKeys(error as object))
      faces.push(inspect(Reflect.get(error as object, key), { depth: 10 }))
  }
  return faces.join('\n')
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('the call succeeded'),
    (thrown: unknown) => thrown,
  )
}

function expectSilence(thrown: unknown): void {
  const faces = facesOf(thrown)
  expect(faces).toContain('Error')
  for (const secret of Object.values(secrets)) {
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      expect(faces, `it shows ${secret}`).not.toContain(form)
    }
  }
}

const secretUrl = (scheme: string, host: string): string =>
  `${scheme}://${secrets.user}:${secrets.password}@${host}/v3/${secrets.path}?token=${secrets.query}`
const bareUrl = (scheme: string, host: string): string =>
  `${scheme}://${host}/v3/${secrets.path}?token=${secrets.query}`

/** The error of a careless platform: the URL, the headers and the body in its message and its members. */
const careless = (request: unknown): Error =>
  Object.assign(new TypeError(`fetch failed: ${inspect(request)}`), {
    request,
    code: 'ECONNRESET',
    cause: new Error(`to ${inspect(request)}`),
  })
const brokenPort: HttpPort = async (request) => {
  throw careless(request)
}
const brokenBody: HttpPort = async (request) => ({
  status: 200,
  headers: { get: () => null },
  body: {
    [Symbol.asyncIterator]: () => ({
      async next() {
        throw careless(request)
      },
    }),
  },
})
const brokenConnect: SocketPort = (url, options) => {
  throw careless({ url, options })
}

const wrapped: [string, (handler: RpcHandler) => RpcHandler][] = [
  ['a transport', (handler) => handler],
  ['retry', retry({ isRepeatable: () => true, baseDelayMs: 1 })],
  ['timeout', timeout(5_000)],
  [
    'retry, coalescing and timeout',
    (handler) =>
      retry({ isRepeatable: () => true, baseDelayMs: 1, maxRetries: 1 })(
        coalesce({ key: () => 'k', clock: systemClock })(timeout(2_000)(handler)),
      ),
  ],
]

async function socketHost(): Promise<string> {
  const host = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  host.on('connection', (socket) => socket.on('message', () => socket.close(4000, 'no')))
  await new Promise((resolve) => void host.once('listening', resolve))
  onTestFinished(() => {
    for (const client of host.clients) client.terminate()
    host.close()
  })
  return `127.0.0.1:${(host.address() as { port: number }).port}`
}

function overSocket(url: string, connect?: SocketPort): RpcHandler {
  const transport: RpcTransport = createWebSocketTransport(
    connect === undefined ? { url, headers } : { url, headers, connect },
  )
  onTestFinished(() => transport.close())
  return transport.handler
}

const places: [string, () => Promise<RpcHandler>][] = [
  [
    'HTTP with user info in its URL',
    async () => createHttpTransport({ url: secretUrl('http', `127.0.0.1:${await closedPort()}`), headers }),
  ],
  [
    'HTTP to a closed port',
    async () => createHttpTransport({ url: bareUrl('http', `127.0.0.1:${await closedPort()}`), headers }),
  ],
  ['HTTP to an unknown host', async () => createHttpTransport({ url: bareUrl('http', 'nowhere.invalid'), headers })],
  ['HTTP with a URL that is none', async () => createHttpTransport({ url: `nonsense ${secrets.path}`, headers })],
  [
    'HTTP with a header that is none',
    async () =>
      createHttpTransport({ url: bareUrl('http', 'localhost'), headers: { authorization: `a\n${secrets.header}` } }),
  ],
  ['a careless port', async () => createHttpTransport({ url: secretUrl('http', 'h'), headers, http: brokenPort })],
  ['a careless body', async () => createHttpTransport({ url: secretUrl('http', 'h'), headers, http: brokenBody })],
  [
    'batches over a careless port',
    async () => createBatchingTransport({ url: secretUrl('http', 'h'), headers, http: brokenPort }),
  ],
  [
    'HTTP 503',
    async () => {
      const { url } = await serveHttp((_request, response) => response.writeHead(503).end('busy'))
      return createHttpTransport({ url: bareUrl('http', new URL(url).host), headers })
    },
  ],
  [
    'HTTP that breaks off',
    async () => {
      const { url } = await serveHttp((_request, response) => {
        response.writeHead(200, { 'content-length': 1_000 })
        response.write('{"jsonrpc"')
        setTimeout(() => response.destroy(), 5)
      })
      return createHttpTransport({ url: bareUrl('http', new URL(url).host), headers })
    },
  ],
  ['a WebSocket to a closed port', async () => overSocket(secretUrl('ws', `127.0.0.1:${await closedPort()}`))],
  ['a WebSocket that closes', async () => overSocket(secretUrl('ws', await socketHost()))],
  ['a WebSocket with a URL that is none', async () => overSocket(`nonsense ${secrets.path}`)],
  ['a WebSocket of a careless platform', async () => overSocket(secretUrl('ws', 'h'), brokenConnect)],
]

describe.each(places)('an error of %s', (_place, make) => {
  it.each(wrapped)('shows no secret through %s', { timeout: 30_000 }, async (_name, wrap) => {
    const context = createContext({ timeoutMs: 5_000 })
    expectSilence(await failure(wrap(await make())(call('eth_sendRawTransaction', [secrets.params]), context)))
    context.release()
  })

  it('shows no secret through a client and the adapters', async () => {
    const handler = await make()
    const params = [secrets.params]
    expectSilence(await failure(createRpcClient(handler, { timeoutMs: 5_000 }).requestUnchecked('m', params)))
    expectSilence(await failure(createProvider(handler, { timeoutMs: 5_000 }).request({ method: 'm', params })))
    abstract class Base {
      _start(): void {}
      async send(): Promise<unknown> {
        return undefined
      }
      _getSubscriber(): object {
        return {}
      }
      abstract _send(payload: object): Promise<unknown>
    }
    const ethers = createEthersProvider(Base, handler, { timeoutMs: 5_000 })
    // oxlint-disable-next-line eslint/no-underscore-dangle -- ethers' name
    expectSilence(await failure(ethers._send({ id: 1, method: 'm', params })))
  })
})

it('finds secrets where they are', () => {
  for (const secret of Object.values(secrets)) {
    for (const error of [
      new Error(secret),
      new Error('', { cause: new Error(secret) }),
      Object.assign(new Error(), { request: { headers: { secret } } }),
    ]) {
      expect(() => expectSilence(error)).toThrow(secret)
    }
  }
})
