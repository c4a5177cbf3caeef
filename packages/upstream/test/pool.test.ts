import {
  createContext,
  isStream,
  rawJsonFromValue,
  RpcError,
  type RpcErrorCode,
  type RpcHandler,
  type RpcResponse,
  type RpcResult,
} from '@wayleave/jsonrpc-core'
import { createScriptedPeer, FakeClock, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { createPool, type Endpoint, type PoolOptions } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { answering, call, rejectionOf, resultOf } from './support.ts'

const isRead = ({ method }: { readonly method: string }): boolean => method === 'eth_chainId'

/** A pool over `handlers`, named a, b, c; the log tells who was asked, in order. */
function scene(handlers: readonly RpcHandler[], options: Partial<PoolOptions> & { readonly pushing?: string } = {}) {
  const clock = new FakeClock()
  const asked: string[] = []
  const failures: string[] = []
  const endpoints = handlers.map((handler, i): Endpoint => {
    const name = 'abc'[i]!
    return {
      name,
      carriesSubscriptions: options.pushing?.includes(name) ?? false,
      handler: (request, context) => {
        asked.push(name)
        return handler(request, context)
      },
    }
  })
  const pool = createPool({
    endpoints,
    clock,
    isRepeatable: isRead,
    opensSubscription: ({ method }) => method === 'eth_subscribe',
    onFailure: ({ name }, { code }) => failures.push(`${name} ${code}`),
    ...options,
  })
  const context = createContext({ clock, timeoutMs: 30_000 })
  return { pool, clock, asked, failures, context, take: () => asked.splice(0).join('') }
}

const failing =
  (code: RpcErrorCode, options: ConstructorParameters<typeof RpcError>[2] = {}): RpcHandler =>
  async () => {
    throw new RpcError(code, `failed: ${code}`, options)
  }
const silent: RpcHandler = peerHandler(createScriptedPeer(() => ({ kind: 'hang' })))
const read = call('eth_chainId')
const write = call('eth_sendRawTransaction', ['0x'])

describe('a pool', () => {
  it('asks its first endpoint, and says which one answered at which attempt', async () => {
    const { pool, context, take } = scene([answering(1), answering(2)])
    const response = await pool(read, context)
    expect(resultOf(response)).toBe(1)
    expect(response.meta).toEqual({ endpoint: 'a', attempts: 1 })
    expect(take()).toBe('a')
  })

  it('keeps what an endpoint says of its answer', async () => {
    const { pool, context } = scene([
      async () => ({ ...((await answering(1)(read, context)) as RpcResult), meta: { cache: 'hit' } }),
    ])
    expect((await pool(read, context)).meta).toEqual({ cache: 'hit', endpoint: 'a', attempts: 1 })
  })

  it("takes a peer's error as an answer", async () => {
    const { pool, context, take } = scene([
      async () => ({ error: { code: -32000, message: 'header not found' } }),
      answering(2),
    ])
    expect((await pool(read, context)).error?.code).toBe(-32000)
    expect(take()).toBe('a')
  })

  it('without endpoints is unavailable, and nothing was sent', async () => {
    const { pool, context } = scene([])
    const why = await rejectionOf(pool(read, context))
    expect(why).toMatchObject({ code: 'unavailable', delivery: 'not_sent' })
    expect(why.cause).toBeUndefined()
  })

  it('asks nobody for a call that was cancelled before', async () => {
    const { pool, context, take } = scene([answering(1)])
    const gone = new RpcError('aborted', 'the caller left')
    context.cancel(gone)
    expect(await rejectionOf(pool(read, context))).toBe(gone)
    expect(take()).toBe('')
  })
})

describe('a read', () => {
  const kinds: readonly RpcErrorCode[] = [
    'timeout',
    'connect',
    'disconnected',
    'http_status',
    'invalid_response',
    'overloaded',
    'unavailable',
  ]
  it.each(kinds)('goes on to the next endpoint after %s', async (code) => {
    const { pool, context, take, failures } = scene([failing(code), answering(2)])
    const response = await pool(read, context)
    expect(resultOf(response)).toBe(2)
    expect(response.meta).toEqual({ endpoint: 'b', attempts: 2 })
    expect(take()).toBe('ab')
    expect(failures).toEqual([`a ${code}`])
  })

  it.each(['aborted', 'denied', 'too_large'] as const)(
    'ends at %s, which no other endpoint would mend',
    async (code) => {
      const { pool, context, take, failures } = scene([failing(code), answering(2)])
      expect(await rejectionOf(pool(read, context))).toMatchObject({ code })
      expect(take()).toBe('a')
      expect(failures).toEqual([])
      // Nor is the endpoint to blame.
      await rejectionOf(pool(read, context))
      expect(take()).toBe('a')
    },
  )

  it('goes on after an endpoint that throws what is no RpcError', async () => {
    const handler: RpcHandler = () => Promise.reject(new TypeError('a bug'))
    const { pool, context, failures } = scene([handler, answering(2)])
    expect(resultOf(await pool(read, context))).toBe(2)
    expect(failures).toEqual(['a unavailable'])
  })

  it('that no endpoint answers is unavailable, with the last cause and its time to wait', async () => {
    const last = new RpcError('http_status', 'HTTP status 429', { httpStatus: 429, retryAfterMs: 7_000 })
    const { pool, context } = scene([failing('connect'), () => Promise.reject(last)])
    const why = await rejectionOf(pool(read, context))
    expect(why).toMatchObject({
      code: 'unavailable',
      message: 'none of 2 upstreams answered',
      delivery: 'unknown',
      retryAfterMs: 7_000,
    })
    expect(why.cause).toBe(last)
  })

  it('may have arrived where any attempt may, whatever the last one says', async () => {
    const { pool, context } = scene([failing('timeout'), failing('connect', { delivery: 'not_sent' })])
    expect(await rejectionOf(pool(read, context))).toMatchObject({ code: 'unavailable', delivery: 'unknown' })
  })

  it('rejects as its only endpoint did', async () => {
    const { pool, context } = scene([failing('http_status', { httpStatus: 503, retryAfterMs: 3_000 })])
    expect(await rejectionOf(pool(read, context))).toMatchObject({
      code: 'http_status',
      httpStatus: 503,
      retryAfterMs: 3_000,
    })
  })
})

describe('a write', () => {
  it.each(['timeout', 'disconnected', 'http_status', 'invalid_response', 'unavailable'] as const)(
    'is not repeated after %s, as it may have arrived',
    async (code) => {
      const { pool, context, take, failures } = scene([failing(code), answering(2)])
      expect(await rejectionOf(pool(write, context))).toMatchObject({ code, delivery: 'unknown' })
      expect(take()).toBe('a')
      expect(failures).toEqual([`a ${code}`])
    },
  )

  it('is not repeated after a failure that does not say', async () => {
    const { pool, context, take } = scene([() => Promise.reject(new Error('a bug')), answering(2)])
    expect(await rejectionOf(pool(write, context))).toMatchObject({ code: 'unavailable', delivery: 'unknown' })
    expect(take()).toBe('a')
  })

  it('goes on where it cannot have arrived', async () => {
    const { pool, context, take } = scene([failing('connect', { delivery: 'not_sent' }), answering(2)])
    expect(resultOf(await pool(write, context))).toBe(2)
    expect(take()).toBe('ab')
  })

  it('that was sent nowhere says so', async () => {
    const unsent = failing('connect', { delivery: 'not_sent' })
    const { pool, context } = scene([unsent, unsent])
    expect(await rejectionOf(pool(write, context))).toMatchObject({ code: 'unavailable', delivery: 'not_sent' })
  })

  it('is not cut short while another endpoint waits', async () => {
    const { pool, context, clock, take } = scene([silent, answering(2)])
    const rejected = rejectionOf(pool(write, context))
    clock.advance(29_999)
    expect(take()).toBe('a')
    clock.advance(1)
    expect(await rejected).toMatchObject({ code: 'timeout' })
    expect(take()).toBe('')
  })
})

describe('an endpoint that failed', () => {
  it('is asked last until its cooldown is over', async () => {
    let broken = true
    const flaky: RpcHandler = (request, context) =>
      (broken ? failing('disconnected') : answering('a'))(request, context)
    const { pool, context, clock, take } = scene([flaky, answering('b')], { cooldownMs: 500 })
    await pool(read, context)
    expect(take()).toBe('ab')
    await pool(read, context)
    clock.advance(499)
    await pool(read, context)
    expect(take()).toBe('bb')
    broken = false
    clock.advance(1)
    await pool(read, context)
    expect(take()).toBe('a')
  })

  it('is asked last even where it is not the first one', async () => {
    let broken = false
    const second: RpcHandler = (request, context) => (broken ? failing('connect') : answering('b'))(request, context)
    const { pool, context, clock, take } = scene([failing('connect'), second, answering('c')], { cooldownMs: 500 })
    await pool(read, context)
    expect(take()).toBe('ab')
    broken = true
    clock.advance(400)
    await pool(read, context)
    expect(take()).toBe('bc')
    // The cooldown of a is over; that of b lasts for another 400 ms.
    clock.advance(100)
    await pool(read, context)
    expect(take()).toBe('ac')
  })

  it('is asked all the same where nobody else is left', async () => {
    const { pool, context, take } = scene([failing('disconnected'), failing('connect')])
    await rejectionOf(pool(read, context))
    await rejectionOf(pool(read, context))
    expect(take()).toBe('abab')
  })

  it('is believed again with its first answer', async () => {
    const outcomes = [failing('disconnected'), answering(1)]
    const { pool, context, take } = scene([
      (request, at) => outcomes.shift()?.(request, at) ?? answering(1)(request, at),
      failing('connect'),
    ])
    await rejectionOf(pool(read, context))
    await pool(read, context)
    take()
    await pool(read, context)
    expect(take()).toBe('a')
  })

  it('takes writes with it: they go to the one that is well first', async () => {
    const { pool, context, take } = scene([failing('disconnected'), answering(2)])
    await rejectionOf(pool(write, context))
    take()
    expect(resultOf(await pool(write, context))).toBe(2)
    expect(take()).toBe('b')
  })
})

describe('an endpoint that told what is false', () => {
  const lie = failing('invalid_response', { cause: 'false' })
  const isFalse = (why: RpcError): boolean => why.cause === 'false'
  const isVerified = ({ meta }: RpcResponse): boolean => meta?.endpoint === 'verified'
  const verified: RpcHandler = async () => ({
    result: rawJsonFromValue('true'),
    meta: { endpoint: 'verified' },
  })

  /** A liar before an honest endpoint; `says` is what it does next. */
  function court(options: Partial<PoolOptions> = {}) {
    const liar: { says: RpcHandler } = { says: lie }
    const handlers: RpcHandler[] = [(request, context) => liar.says(request, context), answering('b')]
    return { liar, ...scene(handlers, { isFalse, isVerified, distrustMs: 1_000, cooldownMs: 10, ...options }) }
  }

  it('is asked last for longer than one that failed, and the call goes on', async () => {
    const { pool, context, clock, take, failures } = court()
    expect(resultOf(await pool(read, context))).toBe('b')
    expect(take()).toBe('ab')
    expect(failures).toEqual(['a invalid_response'])
    clock.advance(999)
    await pool(read, context)
    expect(take()).toBe('b')
    clock.advance(1)
    await pool(read, context)
    expect(take()).toBe('ab')
  })

  it('is asked last for twice as long each time, up to 64 times', async () => {
    const { pool, clock, liar, take } = court()
    const waits: number[] = []
    for (let lies = 0; lies < 9; lies++) {
      const context = createContext({ clock, timeoutMs: 1_000_000 })
      liar.says = lie
      await pool(read, context)
      expect(take()).toBe('ab')
      liar.says = answering('unchecked')
      let waited = 0
      for (; ; waited += 500) {
        await pool(read, context)
        if (take() === 'a') break
        clock.advance(500)
      }
      waits.push(waited / 1_000)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64])
  })

  it('is asked after one that only failed', async () => {
    const { pool, context, take } = scene([lie, failing('connect')], { isFalse })
    await rejectionOf(pool(read, context))
    take()
    await rejectionOf(pool(read, context))
    expect(take()).toBe('ba')
  })

  it('is not asked first again because of an answer', async () => {
    const outcomes = [lie, verified, verified]
    const liar: RpcHandler = (request, at) => outcomes.shift()!(request, at)
    const { pool, context, take } = scene([liar, failing('connect')], { isFalse })
    await rejectionOf(pool(read, context))
    for (let i = 0; i < 2; i++) await pool(read, context)
    expect(take()).toBe('abbaba')
  })

  it('is forgiven after sixteen answers that were found right, and not after answers that nobody checked', async () => {
    for (const [says, wait] of [
      [verified, 1_000],
      [answering('unchecked'), 2_000],
    ] as const) {
      const { pool, context, clock, liar, take } = court()
      await pool(read, context)
      clock.advance(1_000)
      liar.says = says
      for (let i = 0; i < 16; i++) await pool(read, context)
      liar.says = lie
      await pool(read, context)
      take()
      clock.advance(wait - 1)
      await pool(write, context)
      expect(take()).toBe('b')
      clock.advance(1)
      await rejectionOf(pool(write, context))
      expect(take()).toBe('a')
    }
  })

  it('told one lie where it was asked many things at one time', async () => {
    const { pool, context, clock, take } = court()
    await Promise.all(Array.from({ length: 20 }, () => pool(read, context)))
    take()
    clock.advance(1_000)
    await pool(read, context)
    expect(take()).toBe('ab')
  })

  it('is the reason that is told, also where the last one only failed', async () => {
    const { pool, context } = scene([lie, failing('connect')], { isFalse })
    expect(await rejectionOf(pool(read, context))).toMatchObject({ code: 'unavailable', cause: { cause: 'false' } })
  })

  it('failed like any other where nobody says what is false', async () => {
    const { pool, context, clock, take } = scene([lie, answering('b')], { cooldownMs: 10, distrustMs: 1_000 })
    await pool(read, context)
    take()
    clock.advance(10)
    await pool(read, context)
    expect(take()).toBe('ab')
  })
})

describe('an answer of last resort', () => {
  const isLastResort = (response: RpcResponse): boolean => resultOf(response) === 'weak'
  const weak = answering('weak')

  it('is given only where no other endpoint has a better one, and the first of them then', async () => {
    const better = scene([weak, answering('strong')], { isLastResort })
    const response = await better.pool(read, better.context)
    expect([resultOf(response), response.meta]).toEqual(['strong', { endpoint: 'b', attempts: 2 }])
    const none = scene([weak, failing('connect'), weak], { isLastResort })
    expect((await none.pool(read, none.context)).meta).toEqual({ endpoint: 'a', attempts: 1 })
    expect(none.take()).toBe('abc')
  })

  it('is not lost to an endpoint that is silent, or whose answer is too long', async () => {
    const { pool, context, clock, take } = scene([weak, silent], { isLastResort, attemptTimeoutMs: 1_000 })
    const response = pool(read, context)
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1_000)
    expect(resultOf(await response)).toBe('weak')
    expect(take()).toBe('ab')
    const long = scene([weak, failing('too_large')], { isLastResort })
    expect(resultOf(await long.pool(read, long.context))).toBe('weak')
  })

  it('is there to be compared with what comes after it', async () => {
    const spares: unknown[] = []
    const { pool, context } = scene([weak, answering('weaker'), answering('weakest')], {
      isLastResort: (_, spare) => spares.push(spare && resultOf(spare)) > 0,
    })
    expect(resultOf(await pool(read, context))).toBe('weak')
    expect(spares).toEqual([undefined, 'weak', 'weak'])
  })

  it('is the answer to a write, which nobody else is asked', async () => {
    const { pool, context, take } = scene([weak, answering('strong')], { isLastResort })
    expect(resultOf(await pool(write, context))).toBe('weak')
    expect(take()).toBe('a')
  })
})

describe('the time of one attempt', () => {
  it('is limited while another endpoint can be asked', async () => {
    const { pool, context, clock, take, failures } = scene([silent, answering(2)], { attemptTimeoutMs: 1_000 })
    const response = pool(read, context)
    clock.advance(999)
    await Promise.resolve()
    expect(take()).toBe('a')
    clock.advance(1)
    expect(resultOf(await response)).toBe(2)
    expect(failures).toEqual(['a timeout'])
    expect(clock.timers).toBe(1)
  })

  it('is all that is left for the last endpoint', async () => {
    const { pool, context, clock } = scene([silent, silent], { attemptTimeoutMs: 1_000 })
    const rejected = rejectionOf(pool(read, context))
    clock.advance(1_000)
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(28_999)
    expect(context.cancelled).toBeUndefined()
    clock.advance(1)
    expect(await rejected).toMatchObject({ code: 'timeout' })
    expect(clock.timers).toBe(0)
  })

  it('is its share of the time left, where that is shorter', async () => {
    const { pool, context, clock, take } = scene([silent, silent, answering(3)], { attemptTimeoutMs: 60_000 })
    const response = pool(read, context)
    clock.advance(9_999)
    await new Promise((resolve) => setImmediate(resolve))
    expect(take()).toBe('a')
    clock.advance(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(take()).toBe('b')
    clock.advance(10_000)
    expect(resultOf(await response)).toBe(3)
    expect(take()).toBe('c')
  })

  it('leaves no timer and no listener behind', async () => {
    const { pool, context, clock } = scene([failing('connect'), answering(2), answering(3)])
    let listeners = 0
    const onCancel = context.onCancel.bind(context)
    context.onCancel = (listener) => {
      listeners++
      const forget = onCancel(listener)
      return () => {
        listeners--
        forget()
      }
    }
    await pool(read, context)
    expect([clock.timers, listeners]).toEqual([1, 0])
  })
})

describe('a caller that leaves', () => {
  it('ends the attempt, and no other endpoint is asked', async () => {
    const { pool, context, take, failures } = scene([silent, answering(2)])
    const rejected = rejectionOf(pool(read, context))
    const gone = new RpcError('aborted', 'the caller left')
    context.cancel(gone)
    expect(await rejected).toBe(gone)
    expect(take()).toBe('a')
    expect(failures).toEqual([])
  })

  it('asks last an endpoint whose stream broke off, and not one whose reader left', async () => {
    let broken = true
    const streaming: RpcHandler = async () => ({
      result: {
        streaming: true,
        cancel() {},
        async *[Symbol.asyncIterator]() {
          yield new Uint8Array(8)
          if (broken) throw new RpcError('disconnected', 'the response ended within its result')
        },
      },
    })
    const { pool, context, take, failures } = scene([streaming, answering(2)])
    const readAll = async (): Promise<void> => {
      const { result } = (await pool(read, context)) as RpcResult
      for await (const chunk of result as AsyncIterable<Uint8Array>) expect(chunk.byteLength).toBe(8)
    }
    await expect(readAll()).rejects.toMatchObject({ code: 'disconnected' })
    await pool(read, context)
    expect([take(), failures]).toEqual(['ab', ['a disconnected']])

    broken = false
    const other = scene([streaming, answering(2)])
    const { result } = (await other.pool(read, other.context)) as RpcResult
    for await (const chunk of result as AsyncIterable<Uint8Array>) {
      expect(chunk.byteLength).toBe(8)
      break
    }
    await other.pool(read, other.context)
    expect([other.take(), other.failures]).toEqual(['aa', []])
  })

  it('ends a stream that another endpoint could have given', async () => {
    let ended: RpcError | undefined
    const streaming: RpcHandler = async (_request, context) => {
      context.onCancel((why) => (ended = why))
      return { result: { streaming: true, cancel() {}, async *[Symbol.asyncIterator]() {} } }
    }
    const { pool, context, clock } = scene([streaming, answering(2)], { attemptTimeoutMs: 1_000 })
    const { result } = await pool(read, context)
    expect(result !== undefined && isStream(result)).toBe(true)
    // The attempt's own time does not cut a stream that has begun.
    clock.advance(1_001)
    expect(ended).toBeUndefined()
    const gone = new RpcError('aborted', 'the caller left')
    context.cancel(gone)
    expect(ended).toBe(gone)
  })
})

describe('a call that opens a subscription', () => {
  it('goes to endpoints that can push only', async () => {
    const { pool, context, take } = scene([answering('a'), answering('b')], { pushing: 'b' })
    expect(resultOf(await pool(call('eth_subscribe', ['newHeads']), context))).toBe('b')
    expect(take()).toBe('b')
  })

  it('is unavailable where none can, with a reason that can be told', async () => {
    const { pool, context, take } = scene([answering('a')])
    const why = await rejectionOf(pool(call('eth_subscribe', ['newHeads']), context))
    expect(why).toMatchObject({ code: 'unavailable', message: 'no upstream can take this call', delivery: 'not_sent' })
    expect(why.cause).toBeUndefined()
    expect(take()).toBe('')
  })

  it('goes on to the next endpoint that can push where it was not sent', async () => {
    const { pool, context, take } = scene(
      [failing('connect', { delivery: 'not_sent' }), answering('b'), answering('c')],
      { pushing: 'ac' },
    )
    expect(resultOf(await pool(call('eth_subscribe', ['logs']), context))).toBe('c')
    expect(take()).toBe('ac')
  })
})

describe('a pool whose endpoints can refuse', () => {
  const refusing =
    (message: string): RpcHandler =>
    async () => ({ error: { code: -32601, message } })
  const isRefusal = ({ error }: RpcResponse): boolean => error?.message.startsWith('refused') ?? false
  const options = { isRefusal }

  it.each([
    ['read', read],
    ['write', write],
  ])('gives a %s to the next one, and nobody has failed', async (_what, request) => {
    const { pool, context, take, failures } = scene([refusing('refused by a'), answering(2)], options)
    expect(resultOf(await pool(request, context))).toBe(2)
    expect(resultOf(await pool(request, context))).toBe(2)
    expect(take()).toBe('abab')
    expect(failures).toEqual([])
  })

  it('gives the first refusal where nobody answers', async () => {
    const handlers = [refusing('refused by a'), refusing('refused by b'), failing('connect', { delivery: 'not_sent' })]
    const { pool, context, take } = scene(handlers, options)
    expect(await pool(write, context)).toEqual({ error: { code: -32601, message: 'refused by a' } })
    expect(take()).toBe('abc')
  })

  it('sends no write on that may have arrived, and gives no refusal in its place', async () => {
    const { pool, context, take } = scene([refusing('refused by a'), failing('disconnected'), answering(3)], options)
    expect(await rejectionOf(pool(write, context))).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
    expect(take()).toBe('ab')
  })

  it('takes any other error for the answer', async () => {
    const { pool, context, take } = scene([refusing('no such method'), answering(2)], options)
    expect((await pool(read, context)).error).toMatchObject({ message: 'no such method' })
    expect(take()).toBe('a')
  })
})

describe('a pool that prefers some endpoints for a call', () => {
  const prefers: PoolOptions['prefers'] = ({ name }, { method }) => (name === 'b') === (method === 'eth_chainId')

  it('asks them first, the others in their order, and who has failed after both', async () => {
    const { pool, context, take, clock } = scene(
      [failing('connect', { delivery: 'not_sent' }), failing('connect', { delivery: 'not_sent' }), answering(3)],
      { prefers },
    )
    expect(resultOf(await pool(read, context))).toBe(3)
    expect(take()).toBe('bac')
    expect(resultOf(await pool(write, context))).toBe(3)
    expect(take()).toBe('c')
    clock.advance(2_000)
    expect(resultOf(await pool(write, context))).toBe(3)
    expect(take()).toBe('ac')
  })
})
