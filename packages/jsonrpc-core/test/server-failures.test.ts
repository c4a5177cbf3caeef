import {
  createRpcServer,
  rawJsonFromChunks,
  rawJsonFromText,
  rawJsonFromValue,
  type RawJsonStream,
  RpcError,
  type RpcHandler,
  type RpcReply,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeRequests } from '../src/decode.ts'
import { growth } from './cpu-time.ts'
import { ask, bodyOf, bytes, createContext, echo } from './support.ts'

const one = (id: number, method = `m${id}`): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`
const answers = async (reply: Promise<RpcReply>): Promise<[unknown, unknown][]> =>
  (JSON.parse(await bodyOf(await reply)) as { id: unknown; result?: unknown; error?: { code: number } }[]).map(
    ({ id, result, error }) => [id, error?.code ?? result],
  )
/** A handler that answers `m2` in its own way, everything else with 1. */
const odd =
  (respond: () => RpcResponse): RpcHandler =>
  async ({ method }) =>
    method === 'm2' ? respond() : { result: rawJsonFromText('1') }

describe('a handler that breaks its contract fails one call of a batch, and is reported', () => {
  it.each<[string, () => RpcResponse]>([
    ['by answering with nothing', () => undefined as never],
    ['by answering with an empty object', () => ({}) as never],
    ['by a result that is no RawJson', () => ({ result: '0x1' }) as never],
    [
      'by throwing what is no error',
      () => {
        throw 'no error'
      },
    ],
    ['by an error that cannot be printed', () => ({ error: { code: 1, message: '', data: 1n } })],
    ['by a stream', () => ({ result: stream([]) })],
    [
      'by a subscription with a stream',
      () => ({ result: stream([]), subscription: { id: '0x1', open: () => () => {} } }),
    ],
  ])('%s', async (_name, respond) => {
    const heard: unknown[] = []
    const server = createRpcServer(odd(respond), { onInternalError: (thrown) => heard.push(thrown) })
    expect(await answers(server(bytes(`[${one(1)},${one(2)},${one(3)}]`), createContext()))).toEqual([
      [1, 1],
      [2, -32603],
      [3, 1],
    ])
    expect(heard).toHaveLength(1)
  })
})

it('lets a result that is no UTF-8 fail one call of a batch', async () => {
  const server = createRpcServer(odd(() => ({ result: rawJsonFromChunks([Uint8Array.of(0x22, 0xff, 0x22)]) })))
  expect(await answers(server(bytes(`[${one(1)},${one(2)},${one(3)}]`), createContext()))).toEqual([
    [1, 1],
    [2, -32603],
    [3, 1],
  ])
})

it('refuses a result or an error beyond its cap, alone and in a batch, and lets a stream pass', async () => {
  const server = createRpcServer(
    async ({ method }) => {
      if (method === 'm1') return { result: rawJsonFromText(`"${'é'.repeat(49)}"`) }
      if (method === 'm2') return { result: rawJsonFromText(`"${'é'.repeat(50)}"`) }
      if (method === 'm4') return { result: stream(['"', 'a'.repeat(200), '"']) }
      return { error: { code: 3, message: '', raw: rawJsonFromValue({ code: 3, message: '', data: 'a'.repeat(100) }) } }
    },
    { maxResultBytes: 100 },
  )
  expect(await answers(server(bytes(`[${one(1)},${one(2)},${one(3)}]`), createContext()))).toEqual([
    [1, 'é'.repeat(49)],
    [2, -32003],
    [3, -32003],
  ])
  const alone = await server(bytes(one(2)), createContext())
  expect([JSON.parse(await bodyOf(alone)), alone.rejected?.code]).toEqual([
    { jsonrpc: '2.0', id: 2, error: { code: -32003, message: 'response too large' } },
    'too_large',
  ])
  expect(await bodyOf(await server(bytes(one(4)), createContext({ acceptStream: true })))).toHaveLength(236)
})

it('counts the errors of a batch, too, against the size of its reply', async () => {
  const raw = rawJsonFromValue({ code: 3, message: '', data: 'a'.repeat(600) })
  const server = createRpcServer(async () => ({ error: { code: 3, message: '', raw } }), { maxBatchReplyBytes: 1_000 })
  expect(await answers(server(bytes(`[${one(1)},${one(2)}]`), createContext()))).toEqual([
    [1, 3],
    [2, -32003],
  ])
})

it('cancels what is still running once the reply of a batch is too long', async () => {
  const cancelled: string[] = []
  const server = createRpcServer(
    async ({ method }, context) => {
      if (method === 'm1') return { result: rawJsonFromValue('a'.repeat(100)) }
      return new Promise((_resolve, reject) => void context.onCancel((why) => (cancelled.push(method), reject(why))))
    },
    { maxBatchReplyBytes: 50 },
  )
  expect(await answers(server(bytes(`[${one(1)},${one(2)}]`), createContext()))).toEqual([
    [1, -32003],
    [2, -32003],
  ])
  expect(cancelled).toEqual(['m2'])
})

it('never rejects, whatever its host’s functions throw', async () => {
  const bug = (): never => {
    throw new Error('a bug of the host')
  }
  const server = createRpcServer(async () => bug(), { describe: bug, onInternalError: bug })
  expect(await bodyOf(await server(bytes(one(1)), createContext()))).toBe(
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}',
  )
  expect(await answers(server(bytes(`[${one(1)},${one(2)}]`), createContext()))).toEqual([
    [1, -32603],
    [2, -32603],
  ])
})

it('prints any bytes into a reply that is JSON, and runs only what is a request', async () => {
  const requestLike = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: fc.jsonValue(),
      method: fc.oneof(fc.string(), fc.jsonValue()),
      params: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json().map(bytes),
    requestLike.map((value) => bytes(JSON.stringify(value))),
    fc.array(fc.oneof(requestLike, fc.jsonValue()), { maxLength: 4 }).map((value) => bytes(JSON.stringify(value))),
  )
  await fc.assert(
    fc.asyncProperty(body, async (input) => {
      const heard: unknown[] = []
      const reply = await createRpcServer(echo, { onInternalError: (thrown) => heard.push(thrown) })(
        input,
        createContext(),
      )
      if (reply.kind === 'empty') expect(reply.body).toBe('')
      else JSON.parse(await bodyOf(reply))
      expect(heard).toEqual([])
    }),
    { numRuns: 300 },
  )
})

describe('cutting a body', () => {
  const caps = { maxDepth: 1_000, maxBatch: 1_000 }

  it('gives ids and params that parse to what JSON.parse sees', () => {
    const id = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'binary' }),
      fc.constant(null),
    )
    const request = fc.record({
      jsonrpc: fc.constant('2.0'),
      id,
      method: fc.string({ unit: 'binary' }),
      params: fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
    })
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 3 }),
        (requests, indent) => {
          const decoded = decodeRequests(bytes(JSON.stringify(requests, null, indent)), caps)
          if (decoded.kind !== 'batch') throw new Error('a batch was expected')
          expect(
            decoded.calls.map(({ id: token, request: cut }) => [
              JSON.parse(token!),
              cut?.method,
              JSON.parse(cut!.params!.text()),
            ]),
          ).toEqual(
            requests.map((value) => JSON.parse(JSON.stringify([value.id, value.method, value.params])) as unknown),
          )
        },
      ),
    )
  })

  it('sees a repeated member behind any number of strange ones', () => {
    const strange = Array.from({ length: 40 }, (_, i) => `"x${i}":1`).join(',')
    for (const repeated of ['"method":"b"', '"id":2', '"params":[]', '"jsonrpc":"2.0"', '"m\\u0065thod":"b"']) {
      const decoded = decodeRequests(
        bytes(`{${strange},"jsonrpc":"2.0","id":1,"method":"a","params":[1],${repeated}}`),
        caps,
      )
      expect(decoded).toMatchObject({ kind: 'call', call: { error: { code: -32600 } } })
    }
  })

  const texts: readonly (readonly [what: string, of: (count: number) => string])[] = [
    [
      'calls',
      (count) =>
        `[${Array.from({ length: count / 200 }, (_, i) => `{"jsonrpc":"2.0","id":${i},"method":"m","params":["${'\\"'.repeat(500)}"]}`).join(',')}]`,
    ],
    [
      'members',
      (count) =>
        `{${Array.from({ length: count }, (_, i) => `"x${i}":[]`).join(',')},"jsonrpc":"2.0","id":1,"method":"m"}`,
    ],
  ]

  it.each(texts)('takes linear time for many %s', async (_what, of) => {
    const [small, large] = [bytes(of(25_000)), bytes(of(200_000))]
    const taken = await growth(
      () => decodeRequests(small, caps),
      () => decodeRequests(large, caps),
    )
    expect(taken).toMatchObject({ isLinear: true })
  })
})

describe('an error that no peer made', () => {
  const server = createRpcServer(
    async ({ method }) => {
      if (method === 'm1') return { result: rawJsonFromText('1') }
      if (method === 'm2') return { error: { code: 5, message: 'ours' } }
      if (method === 'm3') return { error: { code: 5, message: 'theirs', raw: rawJsonFromText('{"code":5.0}') } }
      if (method === 'm4')
        return { result: rawJsonFromText('"0x1"'), subscription: { id: '0x1', open: () => () => {} } }
      throw new RpcError('timeout', 'late')
    },
    {
      completeError: (error, { tenant }, method) => ({ ...error, data: { tenant, method } }),
      maxBodyBytes: 1_000,
      maxBatch: 6,
    },
  )
  const replyTo = async (text: string) => {
    const reply = await server(bytes(text), createContext({ tenant: 'a' }))
    return [reply.kind, await bodyOf(reply)]
  }
  const ours = (code: number, message: string, id = 'null') =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: JSON.parse(id) as unknown,
      error: { code, message, data: { tenant: 'a', method: methodOf(id) } },
    })
  const methodOf = (id: string) => (id === 'null' || id === '9' ? undefined : `m${id}`)

  it('is completed by the host, alone and in a batch', async () => {
    const expected = [
      '{"jsonrpc":"2.0","id":1,"result":1}',
      ours(5, 'ours', '2'),
      '{"jsonrpc":"2.0","id":3,"error":{"code":5.0}}',
      ours(-32601, 'notifications not supported', '4'),
      ours(-32002, 'request timed out', '5'),
    ]
    for (const [i, answer] of expected.entries()) expect(await replyTo(one(i + 1))).toEqual(['calls', answer])
    expect(await replyTo(`[${[1, 2, 3, 4, 5].map((id) => one(id)).join(',')},7]`)).toEqual([
      'calls',
      `[${[...expected, ours(-32600, 'invalid request')].join(',')}]`,
    ])
  })

  it('is completed by the host where the body is none', async () => {
    expect(await replyTo('{')).toEqual(['parse_error', ours(-32700, 'parse error')])
    expect(await replyTo('7')).toEqual(['calls', ours(-32600, 'invalid request')])
    expect(await replyTo('[]')).toEqual(['calls', ours(-32600, 'empty batch')])
    expect(await replyTo(`[${Array(7).fill(one(9)).join(',')}]`)).toEqual([
      'calls',
      `[${ours(-32600, 'batch too large', '9')}]`,
    ])
    expect(await replyTo(' '.repeat(1_001))).toEqual([
      'too_large',
      ours(-32600, 'content length too large (1001>1000)'),
    ])
  })
})

describe('a single call that fails', () => {
  it('tells the host why a single call got no answer', async () => {
    const server = createRpcServer(async () => {
      throw new RpcError('connect', 'no connection to node-7', { delivery: 'not_sent' })
    })
    const reply = await server(bytes('{"jsonrpc":"2.0","id":1,"method":"m"}'), createContext())
    expect(reply.rejected?.code).toBe('connect')
    expect(await bodyOf(reply)).not.toContain('node-7')
  })

  it('hides a bug from the caller and reports it to the host', async () => {
    const heard: unknown[] = []
    const bug = new Error('secret detail')
    const server = createRpcServer(
      async () => {
        throw bug
      },
      { onInternalError: (error) => heard.push(error) },
    )
    expect(await ask('{"jsonrpc":"2.0","id":1,"method":"m"}', server)).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}',
    )
    expect(heard).toEqual([bug])
  })

  it("prints a peer's own error object byte for byte", async () => {
    const raw = '{ "code":3, "message":"execution reverted", "data":"0x", "more":1e400 }'
    const server = createRpcServer(async () => ({
      error: { code: 3, message: 'execution reverted', raw: rawJsonFromText(raw) },
    }))
    expect(await ask('{"jsonrpc":"2.0","id":1,"method":"m"}', server)).toBe(`{"jsonrpc":"2.0","id":1,"error":${raw}}`)
  })
})

describe('a streamed reply', () => {
  it('lets go of its stream when the host leaves it, also before the first read', async () => {
    for (const reads of [0, 1]) {
      const result = stream(['[', ']'])
      const reply = await createRpcServer(async () => ({ result }))(
        bytes(one(1)),
        createContext({ acceptStream: true }),
      )
      const reader = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
      for (let i = 0; i < reads; i++) await reader.next()
      await reader.return?.()
      expect(result.cancelled).toBeGreaterThan(0)
    }
  })

  it('that is empty, or breaks off, is never closed as if it were whole', async () => {
    for (const chunks of [[], ['[', new RpcError('disconnected', 'broken')]]) {
      const reply = await createRpcServer(async () => ({ result: stream(chunks) }))(
        bytes(one(1)),
        createContext({ acceptStream: true }),
      )
      await expect(bodyOf(reply)).rejects.toBeInstanceOf(RpcError)
    }
  })

  it('is let go of where nobody waits for the answer', async () => {
    const result = stream(['1'])
    const reply = await createRpcServer(async () => ({ result }))(
      bytes('{"jsonrpc":"2.0","method":"m"}'),
      createContext({ acceptStream: true }),
    )
    expect(reply.kind).toBe('empty')
    expect(result.cancelled).toBe(1)
  })
})

function stream(chunks: readonly (string | Error)[]): RawJsonStream & { cancelled: number } {
  const source = chunks.values()
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      const { done, value } = source.next()
      if (done === true) return { done, value: undefined }
      if (typeof value !== 'string') throw value
      return { done: false, value: bytes(value) }
    },
    return: async () => ({ done: true, value: undefined }),
  }
  return {
    streaming: true,
    cancelled: 0,
    cancel() {
      this.cancelled++
    },
    [Symbol.asyncIterator]: () => iterator,
  }
}
