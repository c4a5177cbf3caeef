import { request as openRequest } from 'node:http'
import {
  createMethods,
  createContext,
  createRpcServer,
  type HttpHostOptions,
  method,
  RpcError,
  rawJsonFromChunks,
  rawJsonFromValue,
  type RpcHandler,
  toFetchHandler,
  toNodeListener,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { build } from 'esbuild'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anything } from '@wayleave/jsonrpc-core/schema'
import { bytes, echo } from './support.ts'
import { eventually, serveHttp } from './real-server.ts'

interface Answer {
  readonly status: number
  readonly text: string
  readonly type: string | null
}
type Options = HttpHostOptions<unknown>
type Ask = (body: string | undefined, options?: Options, handler?: RpcHandler) => Promise<Answer>

const read = async (response: Response): Promise<Answer> => ({
  status: response.status,
  text: await response.text(),
  type: response.headers.get('content-type'),
})
const init = (body: string | undefined): RequestInit => (body === undefined ? {} : { method: 'POST', body })

const hosts: readonly { readonly name: string; readonly ask: Ask }[] = [
  {
    name: 'toFetchHandler',
    ask: async (body, options, handler = echo) =>
      read(await toFetchHandler(createRpcServer(handler), options)(new Request('http://rpc.test/', init(body)))),
  },
  {
    name: 'toNodeListener',
    async ask(body, options, handler = echo) {
      const { url } = await serveHttp(toNodeListener(createRpcServer(handler), options))
      return read(await fetch(url, init(body)))
    },
  },
  {
    name: 'Hono',
    async ask(body, options, handler = echo) {
      const answerTo = toFetchHandler(createRpcServer(handler), options)
      const app = new Hono().all('/rpc', (c) => answerTo(c.req.raw))
      return read(await app.request('/rpc', init(body)))
    },
  },
  {
    name: 'Fastify',
    async ask(body, options, handler = echo) {
      const listen = toNodeListener(createRpcServer(handler), options)
      const app = Fastify()
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, _payload, done) => done(null))
      app.all('/rpc', (request, reply) => {
        reply.hijack()
        listen(request.raw, reply.raw)
      })
      onTestFinished(() => app.close())
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      return read(await fetch(`${url}/rpc`, init(body)))
    },
  },
]

const call = '{"jsonrpc":"2.0","id":9007199254740993,"method":"m","params":[1]}'
const answer = '{"jsonrpc":"2.0","id":9007199254740993,"result":{"method":"m","params":[1]}}'
const json = 'application/json'
const error = (code: number, message: string, id = 'null'): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`

describe.each(hosts)('$name', ({ ask }) => {
  it('answers a call and a batch byte for byte', async () => {
    expect(await ask(call)).toEqual({ status: 200, text: answer, type: json })
    expect(await ask(`[${call},${call}]`)).toEqual({ status: 200, text: `[${answer},${answer}]`, type: json })
  })

  it('answers a large result whole', async () => {
    const chunks = ['"', 'a'.repeat(100_000), 'é'.repeat(50_000), '"'].map(bytes)
    const { text } = await ask(call, {}, async () => ({ result: rawJsonFromChunks(chunks) }))
    expect(text).toBe(`{"jsonrpc":"2.0","id":9007199254740993,"result":"${'a'.repeat(100_000)}${'é'.repeat(50_000)}"}`)
  })

  it('answers notifications with an empty body', async () => {
    expect(await ask('{"jsonrpc":"2.0","method":"m"}')).toMatchObject({ status: 200, text: '' })
  })

  it('answers what is no JSON with 400, and takes nothing but POST', async () => {
    expect(await ask('{')).toMatchObject({ status: 400, type: json })
    expect(await ask(undefined)).toEqual({
      status: 405,
      text: error(-32600, 'JSON-RPC is served by POST'),
      type: json,
    })
  })

  it('refuses a body beyond its bound, and takes one at it', async () => {
    const maxBodyBytes = call.length
    expect(await ask(call, { maxBodyBytes })).toMatchObject({ status: 200 })
    const text = error(-32600, `content length too large (more than ${maxBodyBytes})`)
    expect(await ask(`${call} `, { maxBodyBytes })).toEqual({ status: 413, text, type: json })
  })

  it.each([
    { code: 'timeout', status: 504 },
    { code: 'overloaded', status: 503 },
    { code: 'denied', status: 403 },
    { code: 'disconnected', status: 502 },
  ] as const)('answers a call that failed by $code with HTTP $status', async ({ code, status }) => {
    const failing: RpcHandler = async () => {
      throw new RpcError(code, 'why')
    }
    expect(await ask(call, {}, failing)).toMatchObject({ status })
    // The calls of a batch fail each for itself.
    expect(await ask(`[${call}]`, {}, failing)).toMatchObject({ status: 200 })
  })

  it('answers a bug with 500, without its words', async () => {
    const methods = createMethods({
      m: method({
        params: anything,
        handler: (): null => {
          throw new Error('password: hunter2')
        },
      }),
    })
    const text = error(-32603, 'internal error', '9007199254740993')
    expect(await ask(call, {}, methods)).toEqual({ status: 500, text, type: json })
  })

  it('gives handlers the context of its maker', async () => {
    const tenants: unknown[] = []
    const handler: RpcHandler = async (_, { tenant }) => {
      tenants.push(tenant)
      return { result: rawJsonFromValue(true) }
    }
    await ask(call, { createContext: () => createContext({ tenant: 'mine' }) }, handler)
    expect(tenants).toEqual(['mine'])
  })
})

describe('a caller who leaves', () => {
  function waiting(): { readonly handler: RpcHandler; readonly reasons: string[]; readonly begun: Promise<void> } {
    const reasons: string[] = []
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const handler: RpcHandler = (_, context) =>
      new Promise((_resolve, reject) => {
        context.onCancel((why) => {
          reasons.push(why.code)
          reject(why)
        })
        begin()
      })
    return { handler, reasons, begun }
  }

  it('cancels the call behind toFetchHandler', async () => {
    const { handler, reasons, begun } = waiting()
    const leaving = new AbortController()
    const request = new Request('http://rpc.test/', { ...init(call), signal: leaving.signal })
    const asked = toFetchHandler(createRpcServer(handler))(request)
    await begun
    leaving.abort()
    expect((await asked).status).toBe(503)
    expect(reasons).toEqual(['aborted'])
  })

  it('cancels the call behind toNodeListener', async () => {
    const { handler, reasons, begun } = waiting()
    const { url } = await serveHttp(toNodeListener(createRpcServer(handler)))
    const request = openRequest(url, { method: 'POST' }).on('error', () => {})
    request.end(call)
    await begun
    request.destroy()
    await eventually(() => reasons.length > 0, 'the call was not cancelled')
    expect(reasons).toEqual(['aborted'])
  })
})

describe('a body that does not end', () => {
  it('is refused by toFetchHandler at its deadline', async () => {
    const clock = new FakeClock()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes('{')) })
    const request = new Request('http://rpc.test/', { method: 'POST', body, duplex: 'half' } as RequestInit)
    const makeContext = () => createContext({ clock, timeoutMs: 1_000 })
    const asked = toFetchHandler(createRpcServer(echo), { createContext: makeContext })(request)
    clock.advance(1_000)
    expect((await asked).status).toBe(408)
  })

  it('is refused by toNodeListener at its deadline, and ends its connection', async () => {
    const clock = new FakeClock()
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const makeContext = () => {
      begin()
      return createContext({ clock, timeoutMs: 1_000 })
    }
    const { url } = await serveHttp(toNodeListener(createRpcServer(echo), { createContext: makeContext }))
    const request = openRequest(url, { method: 'POST', headers: { 'content-length': '100' } })
    const answered = new Promise<{ statusCode?: number | undefined; headers: { connection?: string | undefined } }>(
      (resolve) => request.on('response', resolve).on('error', () => {}),
    )
    request.write('{')
    await begun
    clock.advance(1_000)
    const { statusCode, headers } = await answered
    expect([statusCode, headers.connection]).toEqual([408, 'close'])
    request.destroy()
  })
})

it('toNodeListener says what to do where another parser has read the body', async () => {
  const listener = toNodeListener(createRpcServer(echo))
  const { url } = await serveHttp(async (request, response) => {
    await request.toArray()
    listener(request, response)
  })
  const { status, text } = await read(await fetch(url, init(call)))
  expect(status).toBe(500)
  expect(text).toContain('in front of all parsers of bodies')
})

it('a bundle of a server for Workers holds nothing of Node, and serves', async () => {
  const contents = `
    import { createMethods, createRpcServer, method, toFetchHandler } from '@wayleave/jsonrpc-core'
    import { text, tuple } from '@wayleave/jsonrpc-core/schema'
    const greet = method({ params: tuple(text('a name')), handler: ([name]) => 'hello, ' + name })
    export default { fetch: toFetchHandler(createRpcServer(createMethods({ greet }))) }`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    // Node's modules would not resolve.
    platform: 'neutral',
    conditions: ['@wayleave/source', 'workerd', 'worker'],
  })
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`
  const { default: worker } = (await import(/* @vite-ignore */ url)) as {
    default: { fetch(request: Request): Promise<Response> }
  }
  const body = '{"jsonrpc":"2.0","id":1,"method":"greet","params":["world"]}'
  const response = await worker.fetch(new Request('http://rpc.test/', { method: 'POST', body }))
  expect(await response.text()).toBe('{"jsonrpc":"2.0","id":1,"result":"hello, world"}')
})
