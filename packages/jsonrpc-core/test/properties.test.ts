import {
  createBatchingTransport,
  createContext,
  createHttpTransport,
  createRpcServer,
  type HttpPort,
  isStream,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  type SocketLike,
  streamAnswers,
} from '@wayleave/jsonrpc-core'
import { createMemoryPair, FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { growth } from './cpu-time.ts'
import { bodyOf, bytes, call, echo } from './support.ts'

const pair = createMemoryPair(echo)
const socket = createWebSocketTransport({ url: 'ws://memory', connect: pair.connect })
afterAll(() => socket.close())

const paths: [string, RpcHandler][] = [
  ['HTTP', createHttpTransport({ url: 'http://memory', http: pair.http })],
  ['HTTP read by its bytes', createHttpTransport({ url: 'http://memory', http: pair.http, answers: streamAnswers() })],
  ['batches', createBatchingTransport({ url: 'http://memory', http: pair.http })],
  ['a WebSocket', socket.handler],
]
const anyText = fc.string({ unit: 'binary' })
const anyParams = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(anyText, fc.jsonValue()))

describe.each(paths)('a call over %s', (_path, handler) => {
  it('arrives and comes back as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyParams, async (method, params) => {
        const context = createContext({ timeoutMs: 10_000 })
        const { result } = await handler(call(method, params), context)
        context.release()
        const came = (result as { parse(): unknown }).parse()
        // JSON has one zero.
        expect(JSON.stringify(came)).toBe(JSON.stringify({ method, params }))
      }),
      { numRuns: 150 },
    )
  })
})

it('keeps a value digit by digit, there and back', async () => {
  const number = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n }), fc.constantFrom('', '.0', 'e400', 'E-7', '.10'))
    .map((parts) => parts.join(''))
  const mirror = createMemoryPair(async ({ params }) => ({ result: params! }))
  const handler = createHttpTransport({ url: 'http://memory', http: mirror.http })
  await fc.assert(
    fc.asyncProperty(number, async (text) => {
      const context = createContext({ timeoutMs: 10_000 })
      const request = { method: 'm', params: rawJsonFromText(`[${text}]`), notification: false }
      const { result } = await handler(request, context)
      context.release()
      expect((result as { text(): string }).text()).toBe(`[${text}]`)
    }),
  )
})

const errorCode = fc.constantFrom('-32000', '3', '-32000', '1.5', '"3"', 'null', '1e400')
/** A valid answer to call 1, of any value; some errors have an odd code. */
const validAnswer = fc
  .tuple(fc.jsonValue(), fc.boolean(), fc.constantFrom('', ' ', '\n'), errorCode)
  .map(([value, failed, space, code]) =>
    failed
      ? `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":${JSON.stringify(JSON.stringify(value))},"data":${JSON.stringify(value)}}}`
      : `{"jsonrpc":"2.0",${space}"id":1,"result":${space}${JSON.stringify(value)}}${space}`,
  )

/** Damage by noise: bytes cut, changed in a place, or with a piece put somewhere else. */
const noise = fc.oneof(
  fc.nat().map((at) => (from: Uint8Array) => from.subarray(0, at % (from.length + 1))),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(([at, mask]) => (from: Uint8Array) => {
    const to = from.slice()
    if (to.length > 0) to[at % to.length]! ^= mask
    return to
  }),
  fc.tuple(fc.nat(), fc.nat(), fc.nat()).map(([from, to, at]) => (source: Uint8Array) => {
    const size = source.length + 1
    const piece = source.subarray(Math.min(from % size, to % size), Math.max(from % size, to % size))
    return Uint8Array.from([...source.subarray(0, at % size), ...piece, ...source.subarray(at % size)])
  }),
)
const mangled = (valid: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(valid, fc.array(noise, { minLength: 1, maxLength: 3 }))
    .map(([text, changes]) => changes.reduce((body, change) => change(body), bytes(text)))
const badAnswer = fc.oneof(fc.uint8Array({ maxLength: 200 }), mangled(validAnswer), validAnswer.map(bytes))

/** Reads all of an outcome. Only an `RpcError` may stop it. */
async function settle(response: Promise<RpcResponse>): Promise<'value' | 'error' | 'RpcError'> {
  try {
    const { result, error } = await response
    if (error !== undefined) {
      expect(Number.isInteger(error.code)).toBe(true)
      return 'error'
    }
    if (isStream(result)) for await (const chunk of result) expect(chunk).toBeInstanceOf(Uint8Array)
    else result.parse()
    return 'value'
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown
    return 'RpcError'
  }
}

function inPieces(body: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  return (async function* pieces() {
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
  })()
}

/** A socket without a network. What its listeners throw would reach the platform, so it reaches the test. */
function bareSocket(): { readonly far: SocketLike; fire(type: string, event?: object): void } {
  const listeners: [string, (event: never) => void][] = []
  const far = {
    bufferedAmount: 0,
    addEventListener: (type: string, listener: (event: never) => void) => void listeners.push([type, listener]),
    send() {},
    close() {},
  }
  return {
    far: far as SocketLike,
    fire(type, event = {}) {
      for (const [wanted, listener] of listeners) if (wanted === type) listener(event as never)
    },
  }
}

describe('any bytes as an answer', () => {
  it('give a value or an RpcError over HTTP', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(badAnswer, fc.constantFrom(200, 200, 400, 500), fc.nat(20), async (body, status, size) => {
        const http: HttpPort = async () => ({
          status,
          headers: { get: () => null },
          body: size === 0 ? [body] : inPieces(body, size),
        })
        for (const answers of [undefined, streamAnswers(20)]) {
          const transport = createHttpTransport({
            url: 'http://peer',
            http,
            ...(answers === undefined ? {} : { answers }),
          })
          const context = createContext({ timeoutMs: 10_000, acceptStream: true })
          seen.add(await settle(transport(call('m'), context)))
          context.release()
        }
        // Sent at once: 400 timers would take as long as the machine is busy.
        const batching = createBatchingTransport({ url: 'http://peer', http, maxCalls: 1 })
        const context = createContext({ timeoutMs: 10_000 })
        seen.add(await settle(batching(call('m'), context)))
        context.release()
      }),
      { numRuns: 400 },
    )
    expect(seen).toEqual(new Set(['value', 'error', 'RpcError']))
  })

  it('give a value or an RpcError over a WebSocket', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(badAnswer, fc.boolean(), async (body, isText) => {
        const clock = new FakeClock()
        const { far, fire } = bareSocket()
        const transport = createWebSocketTransport({ url: 'ws://peer', connect: () => far, clock })
        const outcome = settle(transport.handler(call('m'), createContext({ clock, timeoutMs: 1_000 })))
        fire('open')
        fire('message', { data: isText ? new TextDecoder().decode(body) : body })
        clock.advance(1_000)
        seen.add(await outcome)
        fire('close', { code: 1000 })
        void transport.close()
        fire('close', { code: 1000 })
      }),
      { numRuns: 400 },
    )
    expect(seen).toEqual(new Set(['value', 'error', 'RpcError']))
  })
})

describe('any bytes as a request', () => {
  const id = fc.constantFrom('1', '"a"', 'null', '9007199254740993', '-1.5e3')
  const one = fc
    .tuple(id, fc.string(), fc.jsonValue())
    .map(
      ([token, method, params]) =>
        `{"jsonrpc":"2.0","id":${token},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
    )
  const valid = fc.oneof(
    one,
    fc.array(one).map((calls) => `[${calls.join()}]`),
  )

  it('get an answer that is JSON-RPC, or none', async () => {
    const bugs: unknown[] = []
    const server = createRpcServer(echo, { onInternalError: (error) => bugs.push(error) })
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), mangled(valid), valid.map(bytes)), async (body) => {
        const context = createContext({ timeoutMs: 10_000 })
        const reply = await server(body, context)
        context.release()
        const text = await bodyOf(reply)
        expect(text === '').toBe(reply.kind === 'empty')
        const answers = (text === '' ? [] : [JSON.parse(text) as unknown].flat()) as Record<string, unknown>[]
        for (const answer of answers) {
          expect(answer['jsonrpc']).toBe('2.0')
          expect(Object.keys(answer)).toContain('id')
          expect('result' in answer).not.toBe('error' in answer)
        }
      }),
      { numRuns: 500 },
    )
    expect(bugs).toEqual([])
  })
})

/** About so many bytes of a JSON value that is hard to read, or of nearly JSON. */
const nasty: Record<string, (bytes: number) => string> = {
  'deep arrays': (length) => `${'['.repeat(length / 2)}${']'.repeat(length / 2)}`,
  'deep objects': (length) => `${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}`,
  'what never closes': (length) => '['.repeat(length),
  escapes: (length) => `"${'\\u0041'.repeat(length / 6)}"`,
  backslashes: (length) => `"${'\\\\'.repeat(length / 2)}"`,
  'lone surrogates': (length) => `"${'\\ud800'.repeat(length / 6)}"`,
  'white space': (length) => `${' '.repeat(length / 2)}1${'\n'.repeat(length / 2)}`,
  'huge numbers': (length) => `[${'1e400,'.repeat(length / 6)}1]`,
  'one long number': (length) => '9'.repeat(length),
  __proto__: (length) => `[${'{"__proto__":1},'.repeat(length / 16)}1]`,
  'doubled members': (length) => `{${'"a":1,'.repeat(length / 6)}"a":1}`,
  'empty texts': (length) => `[${'"",'.repeat(length / 3)}1]`,
  'characters of four bytes': (length) => `"${'😀'.repeat(length / 4)}"`,
  'quotes that open nothing': (length) => '"'.repeat(length),
}
const mebibyte = 1024 * 1024

describe.each(Object.entries(nasty))('the time that %s take is linear', { timeout: 60_000 }, (_kind, valueOf) => {
  const frameOf = (value: string): string => `{"jsonrpc":"2.0","id":1,"result":${value}}`
  const oddFrameOf = (value: string): string => `{"id":1,"result":${value},"jsonrpc":"2.0"}`

  async function expectLinear(
    textOf: (value: string) => string,
    read: (text: string) => Promise<unknown>,
  ): Promise<void> {
    const [small, large] = [textOf(valueOf(mebibyte / 8)), textOf(valueOf(mebibyte))]
    const taken = await growth(
      () => read(small),
      () => read(large),
    )
    expect(taken).toMatchObject({ isLinear: true })
  }

  it.each([
    ['its text', undefined],
    ['its bytes', streamAnswers()],
  ])('as an answer, read by %s', async (_how, answers) => {
    for (const textOf of [frameOf, oddFrameOf]) {
      await expectLinear(textOf, async (text) => {
        const http: HttpPort = async () => ({ status: 200, headers: { get: () => null }, body: [bytes(text)] })
        const transport = createHttpTransport({
          url: 'http://peer',
          http,
          ...(answers === undefined ? {} : { answers }),
        })
        const context = createContext({ timeoutMs: 60_000 })
        await transport(call('m'), context).catch((why: unknown) => expect(why).toBeInstanceOf(RpcError))
        context.release()
      })
    }
  })

  it('as a message', async () => {
    for (const textOf of [frameOf, oddFrameOf, String]) {
      await expectLinear(textOf, async (text) => {
        const clock = new FakeClock()
        const { far, fire } = bareSocket()
        const transport = createWebSocketTransport({ url: 'ws://peer', connect: () => far, clock })
        const outcome = transport.handler(call('m'), createContext({ clock, timeoutMs: 1_000 }))
        fire('open')
        fire('message', { data: text })
        clock.advance(1_000)
        await outcome.catch((why: unknown) => expect(why).toBeInstanceOf(RpcError))
        void transport.close()
        fire('close', { code: 1000 })
      })
    }
  })

  it('as a request', async () => {
    const server = createRpcServer(async () => ({ result: rawJsonFromValue(1) }))
    const callOf = (value: string): string => `{"jsonrpc":"2.0","id":1,"method":"m","params":[${value}]}`
    for (const textOf of [callOf, String, (value: string): string => `[${value}]`]) {
      await expectLinear(textOf, async (text) => {
        const context = createContext({ timeoutMs: 60_000 })
        await server(bytes(text), context)
        context.release()
      })
    }
  })
})
