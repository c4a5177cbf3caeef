import { createContext, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { FailureKind } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { failing, hanging, held, read, scene, reporting, write } from './pool-scene.ts'
import { answering, call, rejectionOf, resultOf } from './support.ts'

describe('an error inside an answer', () => {
  const kinds: readonly FailureKind[] = [
    'timeout',
    'internal',
    'overloaded',
    'rate_limited',
    'quota',
    'unauthorized',
    'method_missing',
    'lagging',
    'pruned',
    'range_too_large',
  ]

  it.each(kinds)('that means %s goes to the next upstream, for a write too, and to health', async (kind) => {
    for (const request of [read, write]) {
      const { pool, context, take, failures, candidates, clock } = scene([reporting(-32000, 'no'), answering('b')], {
        verdictOf: () => ({ kind, retryAfterMs: 5_000 }),
      })
      const response = await pool(request, context)
      expect(resultOf(response)).toBe('b')
      expect(response.meta).toEqual({ endpoint: 'b', attempts: 2 })
      expect([take(), failures]).toEqual(['ab', [`a ${kind}`]])
      const { health } = candidates[0]!
      const { errorRate = 0, lagRate = 0 } = health.of(request === read ? 'read' : 'write') ?? {}
      const reported = [
        health.exclusion(clock.now()),
        health.lacks(request.method, clock.now()),
        errorRate > 0 && 'fault',
        lagRate > 0 && 'lag',
      ]
      expect(reported.filter((one) => one !== undefined && one !== false)).toEqual(
        {
          timeout: ['fault'],
          internal: ['fault'],
          overloaded: ['rate_limited', 'fault'],
          rate_limited: ['rate_limited'],
          quota: ['quota_spent'],
          unauthorized: ['unauthorized'],
          method_missing: [true],
          lagging: ['lag'],
        }[kind as string] ?? [],
      )
    }
  })

  const verdictOf = (_request: unknown, { message }: { readonly message: string }) =>
    message === 'final' ? undefined : { kind: message as FailureKind }

  it('that is final is the answer', async () => {
    const { pool, context, take } = scene([reporting(3, 'final'), answering('b')], { verdictOf })
    expect((await pool(read, context)).error).toEqual({ code: 3, message: 'final' })
    expect(take()).toBe('a')
  })

  it('is the answer where all refuse: the first one that is about the call, or the first one, -32601 last', async () => {
    const handlers = [reporting(-32601, 'method_missing'), reporting(-32603, 'internal'), reporting(-32000, 'pruned')]
    for (const [order, message] of [
      [[0, 1, 2], 'pruned'],
      [[1, 2, 0], 'pruned'],
      [[2, 1, 0], 'pruned'],
      [[0, 0, 0], 'method_missing'],
      [[0, 1, 0], 'internal'],
    ] as const) {
      const { pool, context, take } = scene(
        order.map((i) => handlers[i]!),
        { verdictOf },
      )
      const { error, meta } = await pool(read, context)
      expect([error?.message, take()]).toEqual([message, 'abc'])
      expect(meta?.endpoint).toMatch(/^[abc]$/)
    }
  })

  it.each(['rate_limited', 'quota', 'unauthorized'] as const)(
    "that means %s is nobody's answer; beside it the method that another lacks is",
    async (kind) => {
      const words = { rate_limited: 'rate limited', quota: 'out of quota', unauthorized: 'refused our key' }[kind]
      const refusing = reporting(-32005, kind)
      for (const [handlers, reported] of [
        [[refusing, refusing], `2 ${words}`],
        [[refusing], `1 ${words}`],
      ] as const) {
        const { pool, context } = scene(handlers, { verdictOf })
        const why = await rejectionOf(pool(read, context))
        const httpStatus = kind === 'rate_limited' ? 429 : undefined
        expect(why).toMatchObject({ code: 'unavailable', message: `no upstream answered: ${reported}`, httpStatus })
      }
      const { pool, context } = scene([reporting(-32601, 'method_missing'), refusing], { verdictOf })
      expect((await pool(read, context)).error).toEqual({ code: -32601, message: 'method_missing' })
    },
  )

  it('that means a rate limit is one of all upstreams only where no other has failed otherwise, or is left alone for another reason', async () => {
    const limited = reporting(-32005, 'rate_limited')
    for (const [handlers, cordons, status] of [
      [[limited, failing('connect')], false, undefined],
      [[limited, answering('b')], true, undefined],
      [[limited, limited], false, 429],
    ] as const) {
      const { pool, context, candidates } = scene(handlers, { verdictOf })
      if (cordons) candidates[1]!.cordoned = 'an upgrade'
      expect(await rejectionOf(pool(read, context))).toMatchObject({ httpStatus: status })
    }
  })

  it('that means a missing method is no answer while an upstream is out that has answered it', async () => {
    const handlers: RpcHandler[] = [reporting(-32601, 'method_missing'), answering('b')]
    const { pool, context, candidates } = scene(
      [reporting(-32601, 'method_missing'), (...args) => handlers[1]!(...args)],
      {
        verdictOf,
      },
    )
    candidates[1]!.cordoned = 'an upgrade'
    // Neither has ever answered the method.
    expect((await pool(read, context)).error?.message).toBe('method_missing')
    candidates[1]!.cordoned = undefined
    expect(resultOf(await pool(read, context))).toBe('b')
    candidates[1]!.cordoned = 'an upgrade'
    const why = await rejectionOf(pool(read, context))
    expect(why.message).toBe('no upstream answered: 1 without the method, 1 cordoned')
    expect((await pool(call('eth_other'), context)).error?.message).toBe('method_missing')
    // An upstream that says now that it lacks the method is known to have it no longer.
    candidates[1]!.cordoned = undefined
    handlers[1] = reporting(-32601, 'method_missing')
    expect((await pool(read, context)).error?.message).toBe('method_missing')
    candidates[1]!.cordoned = 'an upgrade'
    expect((await pool(read, context)).error?.message).toBe('method_missing')
  })

  it('that means a missing method is the answer beside an outage of an upstream that is not known to have it', async () => {
    const lack = reporting(-32601, 'method_missing')
    for (const handlers of [
      [lack, failing('timeout')],
      [failing('timeout'), lack],
      [lack, failing('connect'), lack],
      [reporting(-32005, 'quota'), lack],
    ]) {
      const { pool, context } = scene(handlers, { verdictOf })
      expect((await pool(read, context)).error).toEqual({ code: -32601, message: 'method_missing' })
    }
  })

  it('that means a missing method does not end a call while a slow upstream may have it, until the deadline', async () => {
    const slow = held()
    const { pool, clock, pass, candidates } = scene([reporting(-32601, 'method_missing'), slow.handler], { verdictOf })
    const late = pool(read, createContext({ clock, timeoutMs: 5_000 }))
    await pass(3_000, 100)
    slow.open[0]!.answer({ result: rawJsonFromValue('b') })
    expect(resultOf(await late)).toBe('b')
    expect(candidates[1]!.serves(read.method)).toBe(true)
    const other = scene([reporting(-32601, 'method_missing'), hanging().handler], { verdictOf })
    const never = other.pool(read, createContext({ clock: other.clock, timeoutMs: 5_000 }))
    await other.pass(6_000, 100)
    expect((await never).error).toEqual({ code: -32601, message: 'method_missing' })
  })

  it('that means a missing method is no answer to a write that another upstream may have done', async () => {
    const { pool, context } = scene([failing('timeout'), reporting(-32601, 'method_missing')], { verdictOf })
    expect(await rejectionOf(pool(write, context))).toMatchObject({ code: 'timeout' })
  })

  it.each(['rate_limited', 'internal', 'quota'] as const)(
    'that means %s is no answer beside an outage',
    async (kind) => {
      const lack = reporting(-32601, kind)
      for (const handlers of [
        [lack, failing('timeout')],
        [failing('timeout'), lack],
      ]) {
        const { pool, context } = scene(handlers, { verdictOf })
        const why = await rejectionOf(pool(read, context))
        expect(why).toMatchObject({ code: 'unavailable', cause: { code: 'timeout' } })
        expect(why.message).toMatch(/^no upstream answered: .*1 timed out/)
      }
    },
  )

  it.each(['lagging', 'pruned', 'range_too_large'] as const)('that means %s is one beside an outage', async (kind) => {
    const { pool, context } = scene([failing('timeout'), reporting(-32000, kind)], { verdictOf })
    expect((await pool(read, context)).error?.message).toBe(kind)
  })
})

describe('a call that nobody answers', () => {
  it('is told how many failed how', async () => {
    const limited = failing('http_status', { httpStatus: 429, retryAfterMs: 7_000 })
    const { pool, context } = scene([failing('timeout'), limited, failing('timeout')])
    expect(await rejectionOf(pool(read, context))).toMatchObject({
      code: 'unavailable',
      message: 'no upstream answered: 2 timed out, 1 rate limited',
      retryAfterMs: 7_000,
    })
    // One that told when to come back is not asked, and still counted.
    expect(await rejectionOf(pool(read, context))).toMatchObject({
      message: 'no upstream answered: 2 timed out, 1 rate limited',
    })
  })

  it.each([
    ['a read', read],
    ['a write', write],
  ])('within its time is told who was silent, too: %s', async (_what, request) => {
    const limited = failing('http_status', { httpStatus: 429, retryAfterMs: 7_000, delivery: 'not_sent' })
    const { pool, clock, pass } = scene([limited, hanging().handler, hanging().handler])
    const context = createContext({ clock, timeoutMs: 5_000 })
    const why = rejectionOf(pool(request, context))
    await pass(5_000, 100)
    expect(await why).toMatchObject({
      code: 'timeout',
      message: `no upstream answered: ${request === read ? '2 timed out, 1 rate limited' : '1 rate limited, 1 timed out'}`,
      retryAfterMs: 7_000,
      cause: context.cancelled,
    })
  })

  it('within its time counts an upstream that was waited for and then silent', async () => {
    const { pool, clock, pass } = scene([hanging().handler], {
      ready: () => new Promise((resolve) => void clock.after(100, resolve)),
    })
    const why = rejectionOf(pool(read, createContext({ clock, timeoutMs: 5_000 })))
    await pass(5_000, 100)
    expect(await why).toMatchObject({ code: 'timeout', message: 'no upstream answered: 1 timed out' })
  })

  it('within its time is told no more than that where nobody was asked', async () => {
    const { pool, clock, pass } = scene([answering('a')], { ready: () => new Promise(() => {}) })
    const why = rejectionOf(pool(read, createContext({ clock, timeoutMs: 5_000 })))
    await pass(5_000, 100)
    expect(await why).toMatchObject({ code: 'timeout', message: 'no answer within the time allowed' })
  })

  it('is told why nobody could be asked', async () => {
    const healthByName = ['behind', 'wrong_chain', 'behind'] as const
    const { pool, context, take } = scene([answering(1), answering(2), answering(3)], {
      selection: { exclusionOf: ({ endpoint }) => healthByName['abc'.indexOf(endpoint.name)] },
    })
    expect(await rejectionOf(pool(read, context))).toMatchObject({
      code: 'unavailable',
      message: 'no upstream can take this call: 2 behind, 1 wrong chain',
      delivery: 'not_sent',
    })
    expect(take()).toBe('')
  })

  it('is refused where a function of the host throws', async () => {
    const excludes = (): never => {
      throw new TypeError('a bug')
    }
    const { pool, context } = scene([answering(1), answering(2)], { selection: { excludes } })
    expect(await rejectionOf(pool(read, context))).toMatchObject({ code: 'unavailable', cause: { message: 'a bug' } })
  })

  it('is answered where the operator’s policy throws', async () => {
    const order = (): never => {
      throw new TypeError('a bug')
    }
    const { pool, context } = scene([answering(1), answering(2)], { selection: { order } })
    expect(resultOf(await pool(read, context))).toBe(1)
  })
})
