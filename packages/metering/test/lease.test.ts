import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createLimits,
  createMemoryAuthority,
  type LimitAuthority,
  type LimitGrant,
  type Limiter,
  type Limits,
  type Plan,
  type QuotaWarning,
} from '@wayleave/metering'
import { describe, expect, it } from 'vitest'

interface Scene {
  readonly clock: FakeClock
  readonly limiters: readonly Limiter[]
  readonly limits: readonly Limits[]
  readonly states: string[]
  readonly warnings: QuotaWarning[]
  /** How the authority answers from here on. */
  mode: 'answers' | 'rejects' | 'hangs' | 'loses answers'
  /** Credits that the authority has debited of its buckets of quotas. */
  debited: number
  advance(ms: number): Promise<void>
}

/** Some processes at one authority, whose answers take 2 ms. */
function scene(plan: Plan, processes = 2): Scene {
  const clock = new FakeClock()
  const memory = createMemoryAuthority({ clock })
  const seen = new Set<string>()
  const at = { clock, states: [], warnings: [], mode: 'answers', debited: 0 } as unknown as {
    -readonly [Name in keyof Scene]: Scene[Name]
  }
  const authority: LimitAuthority = {
    take(id, perSecond, burst, want, token) {
      if (at.mode === 'rejects') return Promise.reject(new Error('the authority is gone'))
      if (at.mode === 'hangs') return new Promise(() => {})
      const grant = memory.take(id, perSecond, burst, want, token) as LimitGrant
      if (!id.includes('mark') && !seen.has(token)) at.debited += grant.granted
      seen.add(token)
      if (at.mode === 'loses answers') return Promise.reject(new Error('the answer was lost'))
      return new Promise((resolve) => void clock.after(2, () => resolve(grant)))
    },
  }
  at.limits = Array.from({ length: processes }, (_, i) =>
    createLimits({
      clock,
      shared: {
        authority,
        process: `process-${i}`,
        share: () => 1 / processes,
        onState: (state) => at.states.push(state),
      },
      onWarning: (warning) => at.warnings.push(warning),
    }),
  )
  at.limiters = at.limits.map((limits) => limits.of({ id: 'k', plan }, { id: 'p' }))
  at.advance = async (ms) => {
    for (let i = 0; i < ms; i++) {
      clock.advance(1)
      for (let turn = 0; turn < 6; turn++) await Promise.resolve()
    }
  }
  return at
}

const call = ({ admit }: Limiter, price = 80): boolean => admit('eth_call', '192.0.2.1', price) === undefined

/** Lets each process make so many calls a ms for some seconds, one price for all. Returns the admitted credits. */
async function load(at: Scene, seconds: number, callsPerMs: readonly number[], price = 80): Promise<number> {
  let admitted = 0
  for (let ms = 0; ms < seconds * 1_000; ms++) {
    callsPerMs.forEach((calls, i) => {
      for (let n = 0; n < calls; n++) {
        const refusal = at.limiters[i]!.admit('eth_call', '192.0.2.1', price)
        if (refusal === undefined) admitted += price
        else void refusal.reserve?.().then((stands) => (admitted += stands === undefined ? price : 0))
      }
    })
    await at.advance(1)
  }
  await at.advance(10)
  return admitted
}

const rate: Plan = { perSecond: { credits: 40_000 } }
/** The burst, and 500 calls of 80 credits a second. */
const allowed = (seconds: number): number => 40_000 + seconds * 40_000

describe('a limit that processes share', () => {
  it.each([
    ['alike', [1, 1]],
    ['one four times as often', [4, 1]],
    ['one alone', [2, 0]],
  ])('admits within 1 %% of 500 calls/s in 30 s: two call %s', async (_, calls) => {
    const admitted = await load(scene(rate), 30, calls)
    expect(admitted / allowed(30)).toBeGreaterThan(0.99)
    expect(admitted / allowed(30)).toBeLessThan(1.01)
  })

  it.each([
    [2, 'one process', () => 0],
    [2, 'two processes in turn', (i: number) => i % 2],
    [2, 'one process, then another one', (i: number) => (i < 5 ? 0 : 1)],
    [8, 'eight processes in turn', (i: number) => i],
  ])('has a small burst whole for a rested caller, and no more: of %i processes, at %s', async (processes, _, turn) => {
    const at = scene({ perSecond: { credits: 400 } }, processes)
    const outcomes: boolean[] = []
    for (let i = 0; i < 8; i++) {
      const limiter = at.limiters[turn(i)]!
      const refusal = limiter.admit('eth_call', '', 80)
      const reserved = refusal?.reserve?.()
      await at.advance(5)
      const stands = reserved === undefined ? refusal : await reserved
      outcomes.push(stands === undefined)
      if (stands === undefined) continue
      expect(stands.waitMs).toBeLessThanOrEqual(200)
      expect(limiter.fields('eth_call', '')!.limit).toMatch(/;r=[0-7]?\d;t=1$/)
    }
    expect(outcomes).toEqual([true, true, true, true, true, false, false, false])
  })

  it.each([
    ['at one process', 'answers', () => 0],
    ['at two processes in turn', 'answers', (i: number) => i % 2],
    ['at eight processes in turn', 'answers', (i: number) => i % 8],
    ['at two processes while the authority rejects', 'rejects', (i: number) => i % 2],
    ['at two processes while the authority is silent', 'hangs', (i: number) => i % 2],
  ] as const)(
    'tells the refused of many calls at once that less than their price is left: %s',
    async (_, mode, turn) => {
      const at = scene({ perSecond: { credits: 400 } }, 8)
      at.mode = mode
      const left: number[] = []
      const ask = async (limiter: Limiter, price: number): Promise<void> => {
        const refusal = limiter.admit('eth_call', '', price)
        const stands = refusal?.reserve === undefined ? refusal : await refusal.reserve()
        if (stands === undefined) return
        const [, reported] = /;r=(\d+);/.exec(limiter.fields('eth_call', '')!.limit)!
        left.push(Number(reported) - price)
      }
      for (let round = 0; round < 20; round++) {
        for (let i = 0; i < 24; i++) void ask(at.limiters[turn(i)]!, i % 3 === 2 ? 40 : 80)
        await at.advance(round === 0 ? 1_200 : 170)
      }
      expect(left.length).toBeGreaterThan(200)
      expect(Math.max(...left)).toBeLessThan(0)
    },
  )

  it('refuses nothing below the limit', async () => {
    const at = scene({ perSecond: { credits: 200_000 }, perDay: { credits: 100_000_000 } })
    expect(await load(at, 5, [1, 1])).toBe(2 * 5_000 * 80)
  })

  it('of a day is spent to the last call, and not beyond', async () => {
    const at = scene({ perDay: { credits: 80_000 } })
    const admitted = await load(at, 3, [1, 0])
    expect(admitted).toBeGreaterThanOrEqual(79_200)
    expect(admitted).toBeLessThanOrEqual(80_800)
    expect(await load(at, 1, [1, 1])).toBeLessThanOrEqual(800)
  })

  it.each(['rejects', 'hangs'] as const)(
    'falls to the share of a process while the authority %s, and is never open',
    async (mode) => {
      const at = scene(rate)
      at.mode = mode
      const admitted = await load(at, 10, [1, 0])
      expect(admitted).toBeGreaterThan(0.99 * (allowed(10) / 2))
      expect(admitted).toBeLessThan(1.01 * (allowed(10) / 2))
      expect(at.states.filter((state) => state === 'gone').length).toBe(1)
    },
  )

  it('admits at most 105 % over 10 s without the authority, and refuses no call below the limit then or after', async () => {
    const over = scene(rate)
    let admitted = await load(over, 5, [1, 1])
    over.mode = 'hangs'
    admitted += await load(over, 10, [1, 1])
    over.mode = 'answers'
    admitted += await load(over, 15, [1, 1])
    expect(admitted / allowed(30)).toBeGreaterThan(0.95)
    expect(admitted / allowed(30)).toBeLessThan(1.05)
    expect(over.states).toEqual(['gone', 'gone', 'back', 'back'])

    const below = scene({ perSecond: { credits: 200_000 } })
    await load(below, 2, [1, 1])
    below.mode = 'rejects'
    expect(await load(below, 10, [1, 1])).toBe(2 * 10_000 * 80)
    below.mode = 'answers'
    expect(await load(below, 5, [1, 1])).toBe(2 * 5_000 * 80)
  })

  it.each(['rejects', 'hangs', 'loses answers'] as const)(
    'settles once what was spent while the authority %s',
    async (mode) => {
      const at = scene({ perDay: { credits: 10_000_000 } })
      let admitted = await load(at, 1, [1, 1])
      at.mode = mode
      admitted += await load(at, 3, [1, 1])
      at.mode = 'answers'
      await at.advance(3_000)
      expect(at.debited).toBe(admitted)
    },
  )

  it('holds a bounded part of a flood of visitors while the authority rejects, and asks with one question at a time', async () => {
    const clock = new FakeClock()
    const memory = createMemoryAuthority({ clock })
    let isAway = true
    let questions = 0
    let atOnce = 0
    const authority: LimitAuthority = {
      async take(...question) {
        questions++
        atOnce++
        await Promise.resolve()
        if (isAway) throw new Error('the authority is gone')
        return memory.take(...question)
      },
    }
    const shared = { authority, process: 'a', share: () => 1 / 2 }
    const limits = createLimits({ clock, shared, maxVisitors: 100 })
    const { admit } = limits.of({ id: 'k', plan: { perVisitor: { perDay: { credits: 800 } } } }, { id: 'p' })
    const pass = async (): Promise<void> => {
      clock.advance(100)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    }
    for (let i = 0; i < 25_000; i++) {
      void admit('eth_call', `visitor ${i}`, 80)?.reserve?.()
      if (i % 250 === 0) await pass()
    }
    for (let i = 0; i < 100; i++) {
      atOnce = 0
      await pass()
      expect(atOnce).toBeLessThanOrEqual(1)
    }
    isAway = false
    questions = 0
    for (let i = 0; i < 100; i++) await pass()
    expect(questions).toBeGreaterThan(100)
    expect(questions).toBeLessThanOrEqual(10_001)
    await limits.close()
  })

  it('settles what is owed when it is closed, less what was given back', async () => {
    const at = scene({ perDay: { credits: 10_000_000 } }, 1)
    for (let i = 0; i < 10; i++) call(at.limiters[0]!)
    at.limiters[0]!.giveBack('eth_call', '192.0.2.1', 300)
    const closed = at.limits[0]!.close()
    await at.advance(10)
    await closed
    expect(at.debited).toBe(500)
  })

  it('takes credits that were given back after they were settled for the next calls', async () => {
    const at = scene({ perDay: { credits: 10_000_000 } }, 1)
    const [limiter] = at.limiters
    for (let i = 0; i < 10; i++) call(limiter!)
    await at.advance(300)
    expect(at.debited).toBe(800)
    limiter!.giveBack('eth_call', '192.0.2.1', 300)
    for (let i = 0; i < 5; i++) call(limiter!)
    await at.advance(300)
    expect(at.debited).toBe(900)
  })

  it('closes within its time where the authority hangs', async () => {
    const at = scene(rate)
    at.mode = 'hangs'
    call(at.limiters[0]!)
    const closed = at.limits[0]!.close()
    await at.advance(1_100)
    await closed
    expect(at.clock.timers).toBe(0)
  })

  it('warns once for a mark, whichever process reaches it', async () => {
    const at = scene({ perDay: { credits: 80_000 } })
    await load(at, 3, [1, 1])
    expect(at.warnings.map(({ mark }) => mark).toSorted((a, b) => a - b)).toEqual([75, 85, 100])
  })

  it('warns of no mark where a process has spent its share alone, as the authority is gone', async () => {
    const at = scene({ perDay: { credits: 900 } }, 3)
    at.mode = 'rejects'
    await at.advance(10)
    expect(await load(at, 1, [1, 0, 0], 20)).toBe(300)
    expect(at.states).toEqual(['gone'])
    expect(at.warnings).toEqual([])
  })

  it('begins a day with the whole of its quota', async () => {
    const at = scene({ perDay: { credits: 8_000 } })
    await load(at, 1, [1, 1])
    expect(at.limiters.map((limiter) => call(limiter))).toEqual([false, false])
    await at.advance(300)
    // Settled debts are not asked for again.
    expect(at.clock.timers).toBe(0)
    at.clock.advance(86_400_000)
    const admitted = await load(at, 1, [1, 1])
    expect(admitted).toBeGreaterThanOrEqual(7_920)
    // One call of each process may cross its answer.
    expect(admitted).toBeLessThanOrEqual(8_160)
  })
})

describe('a share', () => {
  it.each([0, -1, 1.1, Number.NaN])('of %d is refused', (share) => {
    const clock = new FakeClock()
    const shared = { authority: createMemoryAuthority({ clock }), process: 'a', share: () => share }
    expect(() => createLimits({ clock, shared })).toThrow('share must be above 0 and at most 1')
  })

  it('that becomes senseless changes nothing', async () => {
    const clock = new FakeClock()
    let share = 1
    const shared = { authority: createMemoryAuthority({ clock }), process: 'a', share: () => share }
    const limiter = createLimits({ clock, shared }).of({ id: 'k', plan: { perDay: { credits: 800 } } }, { id: 'p' })
    share = Number.NaN
    expect(Array.from({ length: 12 }, () => call(limiter)).filter(Boolean)).toHaveLength(10)
  })

  it('of nothing admits nothing', () => {
    const at = scene({ perDay: { credits: 0 } })
    expect(call(at.limiters[0]!)).toBe(false)
  })
})

describe('the authority in memory', () => {
  it('grants what there is, and answers a repeated question with what is left by now, without debiting again', () => {
    const clock = new FakeClock()
    const { take } = createMemoryAuthority({ clock })
    expect(take('a', 100, 100, 60, 'x:1')).toEqual({ granted: 60, remaining: 40 })
    expect(take('a', 100, 100, 60, 'x:1')).toEqual({ granted: 60, remaining: 40 })
    expect(take('a', 100, 100, 60, 'y:1')).toEqual({ granted: 40, remaining: 0 })
    expect(take('a', 100, 100, 60, 'x:1')).toEqual({ granted: 60, remaining: 0 })
    clock.advance(500)
    expect(take('a', 100, 100, 0, 'x:2')).toEqual({ granted: 0, remaining: 50 })
    expect(take('whole', 1, 100, 150, 'x:3', undefined, 80)).toEqual({ granted: 70, remaining: 30 })
    expect(take('day', 0, 100, 70, 'x:3')).toEqual({ granted: 70, remaining: 30 })
    clock.advance(86_400_000)
    expect(take('day', 0, 100, 70, 'x:4')).toEqual({ granted: 30, remaining: 0 })
  })

  it('keeps no more buckets than it may: the one that was asked for least lately gives way, and is told', () => {
    const clock = new FakeClock()
    let forgotten = 0
    const { take } = createMemoryAuthority({ clock, maxBuckets: 3, onForgotten: () => forgotten++ })
    let asked = 0
    const grantedTo = (id: string): number => {
      clock.advance(1)
      return (take(id, 0, 100, 100, `x:${++asked}`) as LimitGrant).granted
    }
    expect(['a', 'b', 'c', 'a', 'd'].map(grantedTo)).toEqual([100, 100, 100, 0, 100])
    expect(forgotten).toBe(1)
    expect([grantedTo('c'), grantedTo('d'), grantedTo('a')]).toEqual([0, 0, 0])
    for (let i = 0; i < 1_000; i++) expect([grantedTo(`stranger ${i}`), grantedTo('a')]).toEqual([100, 0])
    expect(forgotten).toBe(1_001)
  })
})
