import { createContext, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { createHedging, createRetries, type PoolOptions, type SelectionOptions } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { failing, hanging, held, read, scene, settled, streaming, reporting, write } from './pool-scene.ts'
import { answering, rejectionOf, resultOf } from './support.ts'

const unsent = failing('connect', { delivery: 'not_sent' })

describe('an upstream that is dead', () => {
  it('is left after four calls, and a probe brings it back', async () => {
    const a = { isDead: true }
    const flaky: RpcHandler = (request, at) => (a.isDead ? unsent : answering('a'))(request, at)
    const probe = async (): Promise<void> => {
      if (a.isDead) throw new Error('still dead')
    }
    const { pool, context, take, pass } = scene([flaky, answering('b')], { probe })
    for (let i = 0; i < 6; i++) await pool(read, context)
    expect(take()).toBe('ababababbb')
    await pass(2_100, 100)
    await pool(read, context)
    expect(take()).toBe('b')
    a.isDead = false
    await pass(4_000, 100)
    for (let i = 0; i < 6; i++) expect(resultOf(await pool(read, context))).toBe('a')
    expect(take()).toBe('aaaaaa')
  })

  it('takes writes with it: they go to the one that is well first', async () => {
    const { pool, context, take } = scene([failing('disconnected'), answering('b')])
    for (let i = 0; i < 4; i++) await rejectionOf(pool(write, context))
    take()
    expect(resultOf(await pool(write, context))).toBe('b')
    expect(take()).toBe('b')
  })

  it('is asked all the same where nobody else is left', async () => {
    const { pool, context, take } = scene([failing('disconnected'), failing('connect')])
    for (let i = 0; i < 5; i++) await rejectionOf(pool(read, context))
    expect(take()).toBe('ababababab')
  })
})

describe('an upstream that hangs', () => {
  it('is passed by after a second: the next one is asked beside it, and its attempt is ended by the answer', async () => {
    const a = hanging()
    const { pool, context, take, pass, held: slotsHeld, pending } = scene([a.handler, answering('b')])
    const answer = pool(read, context)
    await pass(990)
    expect(take()).toBe('a')
    await pass(20)
    expect(take()).toBe('b')
    expect(resultOf(await answer)).toBe('b')
    expect(a.cancelled).toMatchObject([{ code: 'aborted', message: 'another upstream was faster' }])
    await settled()
    expect([slotsHeld(), pending(), context.cancelled]).toEqual([0, 0, undefined])
  })

  it('is not asked by calls that come after it became suspicious', async () => {
    const { pool, context, take, pass } = scene([hanging().handler, answering('b')], {
      probe: () => new Promise(() => {}),
    })
    const waiting = Array.from({ length: 6 }, () => pool(read, context))
    await pass(1_010)
    await Promise.all(waiting)
    expect(take()).toBe('aaaaaabbbbbb')
    for (let i = 0; i < 5; i++) await pool(read, context)
    expect(take()).toBe('bbbbb')
  })

  it('answers the call in the end where the others take longer still', async () => {
    const a = held()
    const b = hanging()
    const { pool, context, pass } = scene([a.handler, b.handler])
    const answer = pool(read, context)
    await pass(1_500)
    a.open[0]!.answer(await answering('a')(read, context))
    expect((await answer).meta).toEqual({ endpoint: 'a', attempts: 1 })
    expect(b.cancelled).toHaveLength(1)
  })

  it.each([
    ['a read', read],
    ['an idempotent write', write],
  ])('is passed by as soon as a further upstream can take the call: %s', async (_what, request) => {
    let isBehind = true
    const { pool, context, take, pass } = scene([hanging().handler, answering('b'), failing('disconnected')], {
      writeOf: () => ({
        isIdempotent: true,
        broadcast: 1,
        mayBeDone: () => false,
        begin() {},
        end() {},
        outcomeOf: (response) => ({ kind: 'done', response }),
        inDoubt: (why) => why,
      }),
      selection: { excludes: ({ endpoint }) => (endpoint.name === 'b' && isBehind ? 'needs_block' : undefined) },
    })
    const answer = pool(request, context)
    await pass(2_500)
    expect(take()).toBe('ac')
    isBehind = false
    await pass(1_100)
    expect(resultOf(await answer)).toBe('b')
    expect(take()).toBe('b')
  })

  it('is not waited for where one that was behind has the block by then', async () => {
    let isBehind = true
    const a: RpcHandler = (request, at) =>
      (isBehind ? reporting(-32_000, 'unknown block') : answering('a'))(request, at)
    const { pool, context, take, pass } = scene([a, hanging().handler], {
      verdictOf: () => ({ kind: 'lagging' }),
    })
    const answer = pool(read, context)
    await pass(500)
    expect(take()).toBe('ab')
    await pass(600)
    expect(take()).toBe('a')
    isBehind = false
    await pass(1_100)
    expect(resultOf(await answer)).toBe('a')
    expect(take()).toBe('a')
  })

  it('is waited for by a write, which nobody else is asked and which nobody ends', async () => {
    const a = hanging()
    const { pool, context, take, pass, clock } = scene([a.handler, answering('b')])
    const why = rejectionOf(pool(write, context))
    await pass(29_000, 500)
    expect([take(), a.cancelled]).toEqual(['a', []])
    clock.advance(1_000)
    expect(await why).toMatchObject({ code: 'timeout' })
    expect(take()).toBe('')
  })

  it('counts as timed out where the deadline ends its attempt, unless that came too late', async () => {
    const { pool, clock, failures, candidates } = scene([hanging().handler])
    for (const [timeoutMs, reported] of [
      [100, []],
      [2_000, ['a timeout']],
    ] as const) {
      const why = rejectionOf(pool(read, createContext({ clock, timeoutMs })))
      clock.advance(timeoutMs)
      expect(await why).toMatchObject({ code: 'timeout' })
      expect(failures).toEqual(reported)
    }
    expect(candidates[0]!.health.inFlight).toBe(0)
  })

  it('is passed by as soon as a further upstream has a slot', async () => {
    const b = held()
    const { pool, context, take, pass, clock } = scene([hanging().handler, b.handler], { perEndpoint: 1 })
    const first = pool(read, context)
    await pass(1_010)
    b.open[0]!.answer(await answering('b')(read, context))
    await first
    await settled()
    // Both have their only slot taken.
    const writes = [pool(write, context), pool(write, context)].map((call) => rejectionOf(call))
    await settled()
    expect(take()).toBe('abab')
    const reader = createContext({ clock, timeoutMs: 60_000 })
    const second = pool(read, reader)
    await pass(1_010)
    b.open[1]!.fail(new RpcError('disconnected', 'gone'))
    await pass(20)
    b.open[2]!.answer(await answering('b')(read, context))
    expect(resultOf(await second)).toBe('b')
    context.cancel(new RpcError('aborted', 'the caller left'))
    await Promise.all(writes)
  })
})

describe('a stream that comes too late', () => {
  it('is ended, and its slot comes back', async () => {
    const stream = streaming()
    let late: (() => void) | undefined
    const deaf: RpcHandler = (request, at) =>
      new Promise((resolve) => (late = () => resolve(stream.handler(request, at))))
    const { pool, context, pass, held: slotsHeld, pending } = scene([deaf, answering('b')])
    const answer = pool(read, context)
    await pass(1_010)
    expect(resultOf(await answer)).toBe('b')
    expect(slotsHeld()).toBe(1)
    late!()
    await settled()
    expect([stream.it.cancelled, slotsHeld(), pending()]).toEqual([1, 0, 0])
  })
})

describe('a hedge', () => {
  /** The first upstream has answered within 40 ms so far, and is silent from here on. */
  async function hedged(
    share: number,
    burst: number,
    selection: Partial<SelectionOptions> = {},
    callbacks: Pick<PoolOptions, 'onAttempt' | 'onAnswer'> = {},
  ) {
    const a = held()
    const hedging = createHedging({ share, burst })
    const pooled = scene([a.handler, answering('b')], { hedging, selection, ...callbacks })
    for (let i = 0; i < 32; i++) {
      const answer = pooled.pool(read, pooled.context)
      pooled.clock.advance(40)
      a.open.at(-1)!.answer(await answering('a')(read, pooled.context))
      await answer
    }
    expect(pooled.take()).toBe('a'.repeat(32))
    return pooled
  }

  it('goes to the next upstream once the first takes longer than usual', async () => {
    const { pool, context, take, pass } = await hedged(0.05, 1)
    const answer = pool(read, context)
    await pass(30)
    expect(take()).toBe('a')
    await pass(30)
    expect(take()).toBe('b')
    expect(resultOf(await answer)).toBe('b')
  })

  it('is told from the first attempt, and each answer with the time that it took', async () => {
    const attempts: string[] = []
    const times: string[] = []
    const { pool, context, pass } = await hedged(
      0.05,
      1,
      {},
      {
        onAttempt: ({ name }, { method }, of, isHedge) => attempts.push(`${name} ${method} ${of.tenant} ${isHedge}`),
        onAnswer: ({ name }, _request, _response, ms) => times.push(`${name} ${ms}`),
      },
    )
    expect(times).toEqual(Array.from({ length: 32 }, () => 'a 40'))
    attempts.length = 0
    const answer = pool(read, context)
    await pass(60)
    await answer
    expect(attempts).toEqual(['a eth_chainId undefined false', 'b eth_chainId undefined true'])
    expect(times.at(-1)).toBe('b 0')
  })

  it('is not sent where the budget is spent; silence is not waited out for that', async () => {
    const { pool, context, take, pass } = await hedged(0, 1)
    const first = pool(read, context)
    await pass(60)
    await first
    expect(take()).toBe('ab')
    const second = pool(read, context)
    await pass(200)
    expect(take()).toBe('a')
    await pass(100)
    expect(resultOf(await second)).toBe('b')
  })

  it('goes to no upstream that is asked as a last resort only', async () => {
    const { pool, context, take, pass, candidates, clock } = await hedged(1, 100)
    const [, b] = candidates
    for (let i = 0; i < 4; i++) {
      b!.health.failed(b!.health.begin('read', clock.now()), 'unreachable', clock.now())
    }
    const answer = pool(read, context)
    await pass(200)
    expect(take()).toBe('a')
    await pass(100)
    expect(resultOf(await answer)).toBe('b')
  })
})

describe('rounds', () => {
  const retries = () => createRetries({ random: () => 0.5, share: 0, burst: 1 })

  it('are two for a read that all have failed, if the budget allows it', async () => {
    const { pool, context, take, pass } = scene([failing('connect'), failing('timeout')], { retries: retries() })
    const first = rejectionOf(pool(read, context))
    await pass(40)
    expect(take()).toBe('abab')
    expect(await first).toMatchObject({ message: 'no upstream answered: 1 unreachable, 1 timed out' })
    expect(await rejectionOf(pool(read, context))).toMatchObject({ code: 'unavailable' })
    expect(take()).toBe('ab')
  })

  it('are two also where the failures came as answers', async () => {
    const outcomes = [reporting(-32603, 'Internal error'), reporting(-32603, 'Internal error'), answering('well')]
    const one: RpcHandler = (request, at) => outcomes.shift()!(request, at)
    const { pool, context, pass } = scene([one, one], { retries: retries(), verdictOf: () => ({ kind: 'internal' }) })
    const answer = pool(read, context)
    await pass(40)
    expect(resultOf(await answer)).toBe('well')
  })

  it('are one for a write, and where another one would go alike', async () => {
    const lack = reporting(-32601, 'no such method')
    const options = { retries: retries(), verdictOf: () => ({ kind: 'method_missing' as const }) }
    const writes = scene([unsent, unsent], options)
    expect(await rejectionOf(writes.pool(write, writes.context))).toMatchObject({ delivery: 'not_sent' })
    const reads = scene([lack, lack], options)
    expect((await reads.pool(read, reads.context)).error?.code).toBe(-32601)
    expect([writes.take(), reads.take()]).toEqual(['ab', 'ab'])
  })

  it('end with their caller', async () => {
    const { pool, context, pass, clock, take } = scene([unsent, unsent], { retries: retries() })
    const why = rejectionOf(pool(read, context))
    await settled()
    const gone = new RpcError('aborted', 'the caller left')
    context.cancel(gone)
    expect(await why).toBe(gone)
    await pass(100)
    expect([take(), clock.timers]).toEqual(['ab', 0])
  })
})

describe('an upstream that is not known yet', () => {
  /** The first upstream turns out to be `as` after 100 ms. */
  function unknown(as: 'right' | 'wrong_chain', readyMs = 100) {
    let known = false
    const pooled = scene([answering('a'), answering('b')], {
      selection: {
        exclusionOf: ({ endpoint }) => (known && endpoint.name === 'a' && as !== 'right' ? as : undefined),
      },
      ready: ({ endpoint }) =>
        endpoint.name !== 'a' || known
          ? undefined
          : new Promise((resolve) => {
              pooled.clock.after(readyMs, () => {
                known = true
                resolve()
              })
            }),
    })
    return pooled
  }

  it.each([read, write])('is asked once it is known', async (request) => {
    const { pool, context, take, pass } = unknown('right')
    const answer = pool(request, context)
    await pass(90)
    expect(take()).toBe('')
    await pass(10)
    expect(resultOf(await answer)).toBe('a')
    expect(resultOf(await pool(request, context))).toBe('a')
  })

  it.each([read, write])('is not asked if it turns out to be wrong, and its slot comes back', async (request) => {
    const { pool, context, take, pass, held: slotsHeld } = unknown('wrong_chain')
    const answer = pool(request, context)
    await settled()
    expect(slotsHeld()).toBe(1)
    await pass(100)
    expect(resultOf(await answer)).toBe('b')
    expect([take(), slotsHeld()]).toEqual(['b', 0])
  })

  it('is waited for by writes only when that takes long, and not asked afterwards', async () => {
    const reads = unknown('right', 3_000)
    const answer = reads.pool(read, reads.context)
    await reads.pass(1_020)
    expect(resultOf(await answer)).toBe('b')
    await reads.pass(2_000, 100)
    expect([reads.take(), reads.held()]).toEqual(['b', 0])
    const writes = unknown('right', 3_000)
    const wrote = writes.pool(write, writes.context)
    await writes.pass(3_000, 100)
    expect(resultOf(await wrote)).toBe('a')
    expect(writes.take()).toBe('a')
  })

  it('is not asked for a caller who has left', async () => {
    const { pool, context, take, pass, held: slotsHeld } = unknown('right')
    const why = rejectionOf(pool(read, context))
    await settled()
    const gone = new RpcError('aborted', 'the caller left')
    context.cancel(gone)
    expect(await why).toBe(gone)
    await pass(100)
    expect([take(), slotsHeld()]).toEqual(['', 0])
  })
})

it('a caller that leaves ends all attempts', async () => {
  const [a, b, c] = [hanging(), hanging(), hanging()]
  const { pool, context, pass, take, held: slotsHeld, pending } = scene([a.handler, b.handler, c.handler])
  const why = rejectionOf(pool(read, context))
  await pass(2_050)
  expect(take()).toBe('abc')
  const gone = new RpcError('aborted', 'the caller left')
  context.cancel(gone)
  expect(await why).toBe(gone)
  await settled()
  expect([a.cancelled, b.cancelled, c.cancelled]).toEqual([[gone], [gone], [gone]])
  expect([slotsHeld(), pending()]).toEqual([0, 0])
})

it('an answer of last resort is not lost to one that was silent before', async () => {
  const a = held()
  const { pool, context, pass } = scene([a.handler, hanging().handler], { isLastResort: () => true })
  const answer = pool(read, context)
  await pass(2_500)
  a.open[0]!.answer(await answering('weak')(read, context))
  await pass(1_010)
  expect(resultOf(await answer)).toBe('weak')
})

it('an upstream that is out by the time of its turn is not asked', async () => {
  const a = held()
  const { pool, context, selection, take, held: slotsHeld } = scene([a.handler, answering('b')])
  const why = rejectionOf(pool(read, context))
  selection.cordon('b', 'an upgrade')
  a.open[0]!.fail(new RpcError('disconnected', 'gone'))
  expect(await why).toMatchObject({ message: 'no upstream answered: 1 unreachable, 1 cordoned' })
  expect([take(), slotsHeld()]).toEqual(['a', 0])
})
