// Errors end up in logs and bug reports: none of them may hold what calls are made with.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ClientOptions, createClient } from '../src/index.ts'
import { failure } from './helpers.ts'

const apiKey = 'KEYKEYKEYKEYKEYKEYKEYKEYKEYKEYKE'
const apiKeySecret = 'SECRETSECRETSECRETSECRETSECRETSE'
const forbidden = [apiKey, apiKeySecret, btoa(`:${apiKeySecret}`), encodeURIComponent(btoa(`:${apiKeySecret}`))]

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function deadPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const status =
  (code: number, body = ''): RequestListener =>
  (_request, response) => {
    response.statusCode = code
    response.end(body)
  }

const peers: readonly [string, () => Promise<number>][] = [
  ['is not there', deadPort],
  ['refuses the key', () => serve(status(401, 'invalid project id\n'))],
  [
    'redirects',
    () => serve((_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()),
  ],
  ['answers no JSON', () => serve(status(200, '<html>'))],
  [
    'answers with an error',
    () => serve(status(200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}')),
  ],
  ['answers a wrong result', () => serve(status(200, '{"jsonrpc":"2.0","id":1,"result":"no quantity"}'))],
  ['breaks off', () => serve((request) => request.socket.destroy())],
  ['never answers', () => serve(() => {})],
]

describe.each(peers)('where the peer %s', (_what, start) => {
  it.each(['http', 'ws'])('no error of a client over %s holds key or secret', async (scheme) => {
    const port = await start()
    const options: ClientOptions =
      scheme === 'http'
        ? { url: `http://127.0.0.1:${port}`, apiKey, apiKeySecret }
        : { url: `ws://127.0.0.1:${port}/ws/v3/${apiKey}`, apiKeySecret }
    await using client = createClient({ ...options, timeoutMs: 300 })
    const thrown = await failure(client.request('eth_blockNumber', []))
    expect(thrown.name).toBe('RpcError')
    const forms = [
      thrown.message,
      String(thrown.stack),
      inspect(thrown, { depth: Infinity, showHidden: true, getters: true }),
      JSON.stringify(thrown),
      JSON.stringify(thrown, Object.getOwnPropertyNames(thrown)),
    ]
    for (const form of forms) for (const word of forbidden) expect(form).not.toContain(word)
  })
})

it('a client itself holds no key that can be printed', () => {
  const client = createClient({ url: 'http://127.0.0.1:9', apiKey, apiKeySecret })
  const printed = inspect(client, { depth: Infinity, showHidden: true }) + JSON.stringify(client)
  for (const word of forbidden) expect(printed).not.toContain(word)
})
