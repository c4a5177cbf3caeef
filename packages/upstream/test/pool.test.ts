import {
  type CallContext,
  isStream,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  type RpcResult,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { failing, hanging, read, scene, settled, streaming, write } from './pool-scene.ts'
import { answering, call, rejectionOf, resultOf } from './support.ts'

/** Follows the listeners of a context. */
function listenersOf(context: CallContext): ReadonlySet<unknown> {
  const listeners = new Set<unknown>()
  const onCancel = context.onCancel.bind(context)
  context.onCancel = (listener) => {
    listeners.add(listener)
    const forget = onCancel(listener)
    return () => {
      listeners.delete(listener)
      forget()
    }
  }
  return listeners
}

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
  it.each([
    ['timeout', 'timeout'],
    ['connect', 'unreachable'],
    ['disconnected', 'unreachable'],
    ['http_status', 'internal'],
    ['invalid_response', 'internal'],
    ['overloaded', 'overloaded'],
    ['unavailable', 'internal'],
  ] as const)('goes on to the next upstream after %s', async (code, kind) => {
    const { pool, context, take, failures } = scene([failing(code), answering(2)])
    const response = await pool(read, context)
    expect(resultOf(response)).toBe(2)
    expect(response.meta).toEqual({ endpoint: 'b', attempts: 2 })
    expect(take()).toBe('ab')
    expect(failures).toEqual([`a ${kind}`])
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
    expect(failures).toEqual(['a internal'])
  })

  it('that no endpoint answers is unavailable, with the last cause and its time to wait', async () => {
    const last = new RpcError('http_status', 'HTTP status 429', { httpStatus: 429, retryAfterMs: 7_000 })
    const { pool, context } = scene([failing('connect'), () => Promise.reject(last)])
    const why = await rejectionOf(pool(read, context))
    expect(why).toMatchObject({
      code: 'unavailable',
      message: 'no upstream answered: 1 unreachable, 1 rate limited',
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

it('a call leaves no timer and no listener behind', async () => {
  const { pool, context, clock } = scene([failing('connect'), answering(2), answering(3)])
  const listeners = listenersOf(context)
  await pool(read, context)
  // One timer is common to all calls, and ends with the last of them.
  clock.advance(10)
  expect([clock.timers, listeners.size]).toEqual([1, 0])
})

describe('a write', () => {
  it.each(['timeout', 'disconnected', 'http_status', 'invalid_response', 'unavailable'] as const)(
    'is not repeated after %s, as it may have arrived',
    async (code) => {
      const { pool, context, take, failures } = scene([failing(code), answering(2)])
      expect(await rejectionOf(pool(write, context))).toMatchObject({ code, delivery: 'unknown' })
      expect(take()).toBe('a')
      expect(failures).toHaveLength(1)
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
    const { pool, context, clock, take } = scene([hanging().handler, answering(2)])
    const rejected = rejectionOf(pool(write, context))
    clock.advance(29_999)
    expect(take()).toBe('a')
    clock.advance(1)
    expect(await rejected).toMatchObject({ code: 'timeout' })
    expect(take()).toBe('')
  })
})

describe('a caller that leaves', () => {
  it('ends the attempt, and no other endpoint is asked', async () => {
    const { pool, context, take, failures } = scene([hanging().handler, answering(2)])
    const rejected = rejectionOf(pool(read, context))
    const gone = new RpcError('aborted', 'the caller left')
    context.cancel(gone)
    expect(await rejected).toBe(gone)
    expect(take()).toBe('a')
    expect(failures).toEqual([])
  })
})

describe('a stream', () => {
  const readAll = async (response: RpcResponse): Promise<void> => {
    const { result } = response as RpcResult
    for await (const chunk of result as AsyncIterable<Uint8Array>) expect(chunk.byteLength).toBe(8)
  }

  it('that breaks off counts against its upstream, and one whose reader leaves does not', async () => {
    const broken = scene([streaming(true).handler])
    for (let i = 0; i < 4; i++) {
      await expect(readAll(await broken.pool(read, broken.context))).rejects.toMatchObject({ code: 'disconnected' })
    }
    expect(broken.failures).toEqual(Array.from({ length: 4 }, () => 'a unreachable'))
    expect(broken.candidates[0]!.health.of('read')!.errorRate).toBeGreaterThan(0)

    const left = scene([streaming().handler])
    for (let i = 0; i < 4; i++) {
      const { result } = (await left.pool(read, left.context)) as RpcResult
      for await (const _ of result as AsyncIterable<Uint8Array>) break
    }
    expect([left.failures, left.held()]).toEqual([[], 0])
    expect(left.candidates[0]!.health.of('read')!.errorRate).toBe(0)
  })

  it('goes on after the time at which another upstream would be asked, and ends with its caller', async () => {
    let ended: RpcError | undefined
    const stream: RpcHandler = async (_request, context) => {
      context.onCancel((why) => (ended = why))
      return { result: { streaming: true, cancel() {}, async *[Symbol.asyncIterator]() {} } }
    }
    const { pool, context, clock, take, held } = scene([stream, answering(2)])
    const { result } = await pool(read, context)
    expect(result !== undefined && isStream(result)).toBe(true)
    clock.advance(5_000)
    expect(ended).toBeUndefined()
    expect([take(), held()]).toEqual(['a', 1])
    const gone = new RpcError('aborted', 'the caller left')
    context.cancel(gone)
    expect([ended, held()]).toEqual([gone, 0])
  })

  it('that has ended leaves no listener with its caller', async () => {
    const { pool, context } = scene([streaming().handler, answering(2)])
    const listeners = listenersOf(context)
    await readAll(await pool(read, context))
    expect(listeners.size).toBe(0)
  })

  it('of last resort ends when a better answer comes, and so does one that is no better', async () => {
    const [first, second] = [streaming(), streaming()]
    const { pool, context, held } = scene([first.handler, second.handler, answering('better')], {
      isLastResort: ({ result }) => result !== undefined && isStream(result),
    })
    expect(resultOf(await pool(read, context))).toBe('better')
    expect([first.it.cancelled, second.it.cancelled, held()]).toEqual([1, 1, 0])
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
    expect(why).toMatchObject({
      code: 'unavailable',
      message: 'no upstream can take this call: 1 cannot push',
      delivery: 'not_sent',
    })
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

  it('goes to the next endpoint beside one that is silent, whose subscription is ended if it opens late', async () => {
    const open = ['a', 'b'].map((id) => liveSubscription(id))
    let answerLate = (_response: RpcResponse): void => {}
    const late: RpcHandler = () => new Promise((resolve) => (answerLate = resolve))
    const { pool, context, pass, take } = scene([late, async () => open[1]!.response], { pushing: 'ab' })
    const answer = pool(call('eth_subscribe', ['newHeads']), context)
    await pass(900)
    expect(take()).toBe('a')
    await pass(200)
    expect(resultOf(await answer)).toBe('b')
    answerLate(open[0]!.response)
    await settled()
    expect(open.map(({ ended }) => ended())).toEqual([true, false])
  })

  it('goes to the next endpoint when the connection breaks, since the subscription ended with it', async () => {
    const { pool, context } = scene([failing('disconnected', { delivery: 'unknown' }), answering('b')], {
      pushing: 'ab',
    })
    expect(resultOf(await pool(call('eth_subscribe', ['logs']), context))).toBe('b')
  })
})

/** An answer that opens a subscription, and whether that was ended. */
function liveSubscription(id: string) {
  let ended = false
  const response: RpcResponse = {
    result: rawJsonFromValue(id),
    subscription: { id, open: () => () => void (ended = true) },
  }
  return { response, ended: () => ended }
}
