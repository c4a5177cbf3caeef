import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  type LimitAuthority,
  checkPlan,
  createLimits,
  createMemoryAuthority,
  describeRefusal,
  type Limiter,
  type Plan,
  type QuotaWarning,
} from '@wayleave/metering'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const visitor = '192.0.2.1'
/** Tuesday 14 November 2023, 22:13:21 UTC is where the fake clock begins. */
const toMidnightMs = 86_400_000 - ((1_700_000_000_000 + 1_000) % 86_400_000)

function scene(key: Plan | undefined, project?: Plan, maxVisitors?: number) {
  const clock = new FakeClock()
  const warnings: QuotaWarning[] = []
  const limits = createLimits({ clock, onWarning: (warning) => warnings.push(warning), maxVisitors })
  const of = (id: string): Limiter => limits.of({ id, plan: key }, { id: 'p', plan: project })
  return { clock, limits, warnings, of, limiter: of('k') }
}

/** Calls until one is refused, at most `most` times. */
function admitted({ admit }: Limiter, { price = 80, method = 'eth_call', from = visitor, most = 1_000 } = {}): number {
  let n = 0
  while (n < most && admit(method, from, price) === undefined) n++
  return n
}

describe('limits', () => {
  it('are none unless a plan has them', () => {
    const { limiter } = scene(undefined)
    expect(admitted(limiter)).toBe(1_000)
    expect(limiter.fields('eth_call', visitor)).toBeUndefined()
  })

  it('of one plan hold for each key alone, those of a project for its keys together', () => {
    const perKey = scene({ perSecond: { credits: 800 } })
    expect([admitted(perKey.of('a')), admitted(perKey.of('b'))]).toEqual([10, 10])
    const perProject = scene(undefined, { perSecond: { credits: 800 } })
    expect([admitted(perProject.of('a')), admitted(perProject.of('b'))]).toEqual([10, 0])
  })

  it('debit no bucket for a call that another limit refuses', () => {
    const { of, clock } = scene({ perSecond: { credits: 800 } }, { perDay: { credits: 160 } })
    const limiter = of('k')
    expect(admitted(limiter)).toBe(2)
    for (let i = 0; i < 100; i++) limiter.admit('eth_call', visitor, 80)
    expect(limiter.fields('eth_call', visitor)!.limit).toContain('"key-second";r=640')
    expect(clock.timers).toBe(0)
  })

  it('of a day come again at 00:00 UTC, and not a millisecond earlier', () => {
    const { limiter, clock } = scene({ perDay: { credits: 240 } })
    expect(admitted(limiter)).toBe(3)
    clock.advance(toMidnightMs - 1)
    expect(admitted(limiter)).toBe(0)
    clock.advance(1)
    expect(admitted(limiter)).toBe(3)
  })

  it('of a month come again on the first, UTC', () => {
    const { limiter, clock } = scene({ perMonth: { credits: 160 } })
    expect(admitted(limiter)).toBe(2)
    clock.advance(toMidnightMs + 16 * 86_400_000 - 1)
    expect(admitted(limiter)).toBe(0)
    clock.advance(1)
    expect(admitted(limiter)).toBe(2)
  })

  it('of a day are not given twice by a clock that is set back', () => {
    let date = Date.UTC(2026, 0, 2)
    const clock = { now: () => 0, date: () => date, after: () => () => {} }
    const limiter = createLimits({ clock }).of({ id: 'k', plan: { perDay: { credits: 80 } } }, { id: 'p' })
    expect(admitted(limiter)).toBe(1)
    date = Date.UTC(2026, 0, 1)
    expect(admitted(limiter)).toBe(0)
    date = Date.UTC(2026, 0, 2, 12)
    expect(admitted(limiter)).toBe(0)
  })

  it('warn once for each mark and period', () => {
    const { limiter, clock, warnings } = scene({ perDay: { credits: 1_000 } })
    admitted(limiter, { price: 10 })
    expect(warnings.map(({ mark }) => mark)).toEqual([75, 85, 100])
    expect(warnings[0]).toMatchObject({
      subject: 'k',
      credits: 1_000,
      action: 'stop',
      name: { scope: 'key', window: 'day' },
    })
    limiter.giveBack('eth_call', visitor, 300)
    admitted(limiter, { price: 10 })
    expect(warnings).toHaveLength(3)
    clock.advance(toMidnightMs)
    admitted(limiter, { price: 1_000 })
    expect(warnings.map(({ mark }) => mark)).toEqual([75, 85, 100, 75, 85, 100])
  })

  it('that only warn refuse nothing', () => {
    const { limiter, warnings } = scene({ perMonth: { credits: 800, action: 'warn', marks: [50] } })
    expect(admitted(limiter, { most: 50 })).toBe(50)
    expect(warnings.map(({ mark }) => mark)).toEqual([50])
  })

  it('of methods take the name before the longest prefix, and methods of a prefix share them', () => {
    const rate = (credits: number) => ({ perSecond: { credits } })
    const { limiter } = scene({
      methods: { 'debug_*': rate(240), 'debug_trace*': rate(160), debug_traceCall: rate(80) },
    })
    expect(admitted(limiter, { method: 'debug_traceCall' })).toBe(1)
    expect(admitted(limiter, { method: 'debug_traceBlock', most: 1 })).toBe(1)
    expect(admitted(limiter, { method: 'debug_traceTransaction' })).toBe(1)
    expect(admitted(limiter, { method: 'debug_setHead' })).toBe(3)
    expect(admitted(limiter, { method: 'eth_call', most: 5 })).toBe(5)
  })

  it('of methods hold in any case, whether the plan or the caller writes it so', () => {
    const { limiter } = scene({
      methods: { eth_getlogs: { perDay: { credits: 0 } }, 'DEBUG_*': { perDay: { credits: 0 } } },
    })
    for (const method of ['eth_getLogs', 'ETH_GETLOGS', 'debug_traceCall'])
      expect(admitted(limiter, { method })).toBe(0)
    expect(admitted(limiter, { method: 'eth_getLog', most: 1 })).toBe(1)
  })

  it.each([
    ['in one process', 0],
    ['in one of two processes, at an authority', 2],
  ])(
    'of visitors never refuse a stranger: beyond the cap, who has spent least is forgotten, which is told (%s)',
    async (_, processes) => {
      const clock = new FakeClock()
      const forgotten: unknown[] = []
      const limits = createLimits({
        clock,
        maxVisitors: 100,
        onForgotten: (party) => forgotten.push(party),
        shared:
          processes === 0
            ? undefined
            : {
                authority: createMemoryAuthority({ clock, maxBuckets: 1_000 }),
                process: 'a',
                share: () => 1 / processes,
              },
      })
      const { admit } = limits.of({ id: 'k', plan: { perVisitor: { perDay: { credits: 800 } } } }, { id: 'p' })
      const isAdmitted = async (from: string): Promise<boolean> => {
        const refusal = admit('eth_call', from, 80)
        return refusal === undefined || (refusal.reserve !== undefined && (await refusal.reserve()) === undefined)
      }
      for (let i = 0; i < 12; i++) expect(await isAdmitted('greedy')).toBe(i < 10)
      for (let i = 0; i < 5_000; i++) expect(await isAdmitted(`stranger ${i}`)).toBe(true)
      expect(await isAdmitted('greedy')).toBe(false)
      expect(forgotten).toHaveLength(5_000 + 1 - 100)
      expect(new Set(forgotten.map((party) => JSON.stringify(party)))).toEqual(new Set(['{"scope":"key","id":"k"}']))
    },
  )

  it('of visitors are kept at the authority for ten minutes once more of them came than are remembered', () => {
    const clock = new FakeClock()
    const kept: (number | undefined)[] = []
    const memory = createMemoryAuthority({ clock, maxBuckets: 1_000 })
    const authority: LimitAuthority = {
      take(...question) {
        kept.push(question[7])
        return memory.take(...question)
      },
    }
    const limits = createLimits({ clock, maxVisitors: 10, shared: { authority, process: 'a', share: () => 1 / 2 } })
    const { admit } = limits.of({ id: 'k', plan: { perVisitor: { perDay: { credits: 100 } } } }, { id: 'p' })
    const come = (from: number, to: number): void => {
      for (let i = from; i < to; i++) void admit('eth_call', `visitor ${i}`, 80)?.reserve?.()
    }
    come(0, 10)
    expect(kept.every((ms) => ms! > 86_400_000)).toBe(true)
    come(10, 12)
    kept.length = 0
    come(20, 100)
    expect(new Set(kept)).toEqual(new Set([600_000]))
  })

  it('of visitors count them by the name that the host gives an address', () => {
    const clock = new FakeClock()
    const forgotten: unknown[] = []
    const visitorOf = (address: string): string => address.split(':', 4).join(':')
    const limits = createLimits({ clock, visitorOf, onForgotten: (party) => forgotten.push(party) })
    const { admit } = limits.of({ id: 'k', plan: { perVisitor: { perDay: { credits: 8_000 } } } }, { id: 'p' })
    let passed = 0
    for (let i = 0; i < 100_000; i++) if (admit('eth_call', `2001:db8:0:1:${i}`, 80) === undefined) passed++
    expect(passed).toBe(100)
    const honest = Array.from({ length: 100 }, (_, i) => admit('eth_call', `192.0.2.${i}`, 80))
    expect([honest.filter(Boolean), forgotten]).toEqual([[], []])
  })

  it('forget visitors whose buckets are full again', () => {
    const { limiter, clock } = scene({ perVisitor: { perSecond: { credits: 80 } } }, undefined, 100)
    for (let i = 0; i < 10_000; i++) {
      clock.advance(20)
      expect(limiter.admit('eth_call', `visitor ${i}`, 80)).toBeUndefined()
    }
  })

  it('go on where they were when a plan changes', () => {
    const { limits } = scene(undefined)
    const project = { id: 'p' }
    expect(admitted(limits.of({ id: 'x', plan: { perDay: { credits: 800 } } }, project))).toBe(10)
    const raised = { id: 'x', plan: { perDay: { credits: 960 } } }
    expect(admitted(limits.of(raised, project))).toBe(2)
    expect(limits.of(raised, project)).toBe(limits.of(raised, project))
  })

  it('of methods go on, too', () => {
    const { limits } = scene(undefined)
    const methods = (eth_call: number, prefix: number) => ({
      eth_call: { perDay: { credits: eth_call } },
      'eth_get*': { perDay: { credits: prefix } },
    })
    const first = limits.of({ id: 'x', plan: { methods: methods(160, 160) } }, { id: 'p' })
    for (const method of ['eth_call', 'eth_call', 'eth_getCode', 'eth_getBalance']) {
      expect(first.admit(method, visitor, 80)).toBeUndefined()
    }
    const second = limits.of({ id: 'x', plan: { methods: methods(160, 240) } }, { id: 'p' })
    expect(second.admit('eth_call', visitor, 80)).toMatchObject({ limit: { window: 'day' } })
    expect(second.admit('eth_getLogs', visitor, 80)).toBeUndefined()
    expect(second.admit('eth_getLogs', visitor, 80)).toMatchObject({ limit: { window: 'day' } })
  })

  it('count what was spent before the start of the process', () => {
    const { limits, clock } = scene(undefined)
    const party = { id: 'x', plan: { perDay: { credits: 800 }, perMonth: { credits: 8_000 } } }
    limits.restore({ scope: 'key', ...party }, { day: 640, month: 7_920, date: clock.date() })
    expect(admitted(limits.of(party, { id: 'p' }))).toBe(1)
  })

  it('count what was spent once, however often it is told', () => {
    const { limits, clock } = scene(undefined)
    const project = { id: 'p' }
    const party = { id: 'x', plan: { perDay: { credits: 800 } } }
    const report = (plan: Plan, day: number): void =>
      limits.restore({ scope: 'key', id: 'x', plan }, { day, month: day, date: clock.date() })
    const limiter = limits.of(party, project)
    for (let i = 0; i < 4; i++) expect(limiter.admit('eth_call', visitor, 80)).toBeUndefined()
    // Two of the calls are not in the store yet.
    report(party.plan, 160)
    const raised = { perDay: { credits: 960 } }
    report(raised, 320)
    report(raised, 320)
    expect(admitted(limits.of({ id: 'x', plan: raised }, project))).toBe(8)
  })

  it('of methods that share a prefix count what all of them spent', () => {
    const { limits, clock } = scene(undefined)
    const party = { id: 'x', plan: { methods: { 'eth_get*': { perDay: { credits: 320 } } } } }
    const methods = new Map([
      ['eth_getCode', 80],
      ['eth_getBalance', 160],
    ])
    limits.restore({ scope: 'key', ...party }, { day: 0, month: 0, methods, date: clock.date() })
    const limiter = limits.of(party, { id: 'p' })
    expect(limiter.admit('eth_getLogs', visitor, 80)).toBeUndefined()
    expect(limiter.admit('eth_getLogs', visitor, 80)).toMatchObject({ limit: { window: 'day' } })
  })

  it('debit an event that cannot be refused, and tell the quota that it met', () => {
    const { limiter } = scene({ perSecond: { credits: 100 }, perDay: { credits: 400 } })
    expect(limiter.charge('eth_subscribe', visitor, 300)).toBeUndefined()
    expect(limiter.charge('eth_subscribe', visitor, 300)).toMatchObject({ limit: { window: 'day' } })
  })

  it('admit exactly what a day has, whatever the prices and refunds', () => {
    const calls = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.boolean()), { maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 5_000 }), calls, (credits, list) => {
        const { limiter } = scene({ perDay: { credits } })
        let spent = 0
        for (const [price, fails] of list) {
          const refusal = limiter.admit('eth_call', visitor, price)
          expect(refusal === undefined).toBe(spent + price <= credits)
          if (refusal !== undefined) continue
          if (fails) limiter.giveBack('eth_call', visitor, price)
          else spent += price
        }
      }),
    )
  })
})

describe('a refusal', () => {
  function refusalOf(key: Plan, price = 80, project?: Plan) {
    const { limiter } = scene(key, project)
    for (;;) {
      const refusal = limiter.admit('eth_call', visitor, price)
      if (refusal !== undefined)
        return { ...describeRefusal(refusal, 'https://example.org'), fields: limiter.fields('eth_call', visitor)! }
    }
  }

  it('by a rate has the fields that clients read, and a Retry-After', () => {
    const { error, retryAfterSeconds, fields } = refusalOf({}, 80, { perSecond: { credits: 500 } })
    expect(error).toEqual({
      code: -32005,
      message: 'project ID request rate exceeded',
      data: { see: 'https://example.org', rate: { allowed_rps: 6.25, backoff_seconds: 1, current_rps: 7 } },
    })
    expect(retryAfterSeconds).toBe(1)
    expect(fields.policy).toBe('"project-second";q=500;w=1;qu="credits"')
    expect(fields.limit).toBe('"project-second";r=20;t=0'.replace('t=0', 't=1'))
  })

  it('by the limit of a key carries the event -33300', () => {
    expect(refusalOf({ perSecond: { credits: 80 } }).error.data).toMatchObject({ event: -33300 })
  })

  it('asks nobody to wait for more than 5 s', () => {
    expect(refusalOf({ perSecond: { credits: 1 } }, 1_000).retryAfterSeconds).toBe(5)
  })

  it('by a spent day has no Retry-After, and says when it resets', () => {
    const { error, retryAfterSeconds, fields } = refusalOf({ perDay: { credits: 160 } })
    expect(retryAfterSeconds).toBeUndefined()
    expect(error.message).toBe('daily request count exceeded, request rate limited; it resets at 2023-11-15T00:00:00Z')
    expect(error.data).toMatchObject({ resets_at: '2023-11-15T00:00:00Z' })
    expect(JSON.stringify(error.data)).not.toContain('backoff')
    expect(fields.policy).toBe('"key-day";q=160;w=86400;qu="credits"')
    expect(fields.limit).toBe(`"key-day";r=0;t=${Math.ceil(toMidnightMs / 1_000)}`)
  })

  it('names the limit that lets the caller wait longest', () => {
    const { error } = refusalOf({ perSecond: { credits: 80 } }, 80, { perMonth: { credits: 80 } })
    expect(error.message).toContain('monthly request count exceeded')
  })
})

describe('a plan', () => {
  it.each([
    [{ perSecond: { credits: -1 } }, 'plan.perSecond.credits'],
    [{ perDay: { credits: 1, action: 'halt' } }, 'plan.perDay.action'],
    [{ perDay: { credits: 1, marks: [0] } }, 'plan.perDay.marks'],
    [{ perWeek: { credits: 1 } }, 'plan has no member perWeek'],
    [{ methods: { 'eth*call': {} } }, "plan.methods['eth*call']"],
    [{ methods: { eth_call: { perMonth: {} } } }, "plan.methods['eth_call'] has no member perMonth"],
    [{ perVisitor: { perSecond: { credits: 'x' } } }, 'plan.perVisitor.perSecond.credits'],
  ])('is refused where %j is wrong, by the name of the member', (plan, message) => {
    expect(() => checkPlan(plan as Plan)).toThrow(message)
  })
})
