import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createLimits, createMemoryAuthority, type LimitAuthority, type QuotaWarning } from '@wayleave/metering'
import { describe, expect, it } from 'vitest'

/** A day's quota that some processes spend, at one authority whose answers take 2 ms; one alone needs none. */
function begin(credits: number, processes: number, firstShare = 1 / processes) {
  const clock = new FakeClock()
  const memory = createMemoryAuthority({ clock })
  const warnings: QuotaWarning[] = []
  let questions = 0
  let share = firstShare
  const authority: LimitAuthority = {
    take(...question) {
      questions++
      const grant = memory.take(...question)
      return new Promise((resolve) => void clock.after(2, () => resolve(grant)))
    },
  }
  const plan = { perDay: { credits } }
  const project = { id: 'p', plan }
  const limits = Array.from({ length: processes }, (_, i) => {
    const shared = { authority, process: `process-${i}`, share: () => share }
    return createLimits({
      clock,
      shared: processes === 1 ? undefined : shared,
      onWarning: (warning) => warnings.push(warning),
    })
  })
  const limiters = limits.map((each) => each.of({ id: 'k' }, project))
  let spent = 0
  let isRefused = false
  /** The greatest rest of the quota that a call was refused at, less its price. */
  let worst = Number.NEGATIVE_INFINITY

  function settled(price: number, isAdmitted: boolean): void {
    if (isAdmitted) spent += price
    else {
      isRefused = true
      worst = Math.max(worst, credits - spent - price)
    }
  }

  return {
    warnings,
    project,
    limits,
    limiters,
    setShare(to: number) {
      share = to
    },
    get questions() {
      return questions
    },
    get spent() {
      return spent
    },
    get isRefused() {
      return isRefused
    },
    get worst() {
      return worst
    },
    ask(i: number, price: number): Promise<void> {
      const refusal = limiters[i % processes]!.admit('eth_call', '', price)
      if (refusal?.reserve === undefined) return Promise.resolve(settled(price, refusal === undefined))
      return refusal.reserve().then((stands) => settled(price, stands === undefined))
    },
    async advance(ms: number) {
      for (let i = 0; i < ms; i++) {
        clock.advance(1)
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      }
    },
  }
}

const cases = [100, 1_000, 10_000, 100_000].flatMap((credits) => [1, 2, 3].map((processes) => ({ credits, processes })))

describe.each(cases)('a quota of $credits credits that $processes processes spend', ({ credits, processes }) => {
  it('ends less than one call below itself and never above, call by call, and the first refusal is its mark 100', async () => {
    const at = begin(credits, processes)
    let questionsAtHalf = 0
    for (let i = 0; !at.isRefused; i++) {
      if (at.spent <= credits / 2) questionsAtHalf = at.questions
      const asked = at.ask(i, 80)
      await at.advance(3)
      await asked
    }
    expect(credits - at.spent).toBeLessThan(80)
    expect(at.spent).toBeLessThanOrEqual(credits)
    await at.advance(10)
    expect(at.warnings.map(({ mark }) => mark)).toEqual([75, 85, 100])
    // Far from its end, no call waits for an answer.
    if (credits === 100_000) expect(questionsAtHalf).toBeLessThan(0.15 * (credits / 160))
  })

  it.each([
    ['alike', (n: number, i: number) => n + i],
    ['one of them first', () => 0],
    ['at random', (n: number, i: number) => (n * 7 + i * 5) % 11],
  ])('ends so under many calls at once, %s', async (_, process) => {
    const at = begin(credits, processes)
    for (let n = 0; n < (3 * credits) / 240 + 60; n++) {
      for (let i = 0; i < 3; i++) void at.ask(process(n, i), 80)
      await at.advance(1)
    }
    await at.advance(300)
    for (let i = 0; i < 2 * processes; i++) {
      void at.ask(i, 80)
      await at.advance(300)
    }
    expect(credits - at.spent).toBeLessThan(80)
    expect(at.spent).toBeLessThanOrEqual(credits)
    expect(at.warnings.map(({ mark }) => mark)).toEqual([75, 85, 100])
  })

  it('refuses no call that there are credits for, whatever calls cost', async () => {
    const at = begin(credits, processes)
    const prices = [80, 5, 255, 20, 720, 80]
    for (let i = 0; i < credits / 40 + 40; i++) {
      const asked = at.ask(i * 7, prices[i % prices.length]!)
      await at.advance(3)
      await asked
    }
    expect(at.worst).toBeLessThan(0)
    expect(credits - at.spent).toBeLessThan(5)
  })
})

it('a process that stopped with a part of a quota leaves all of it to the others', async () => {
  const at = begin(1_000, 3)
  void at.ask(0, 80)
  await at.advance(10)
  at.limiters[0]!.giveBack('eth_call', '', 80)
  await at.advance(300)
  for (let i = 0; i < 20; i++) {
    void at.ask(1, 100)
    await at.advance(3)
  }
  expect(at.spent).toBe(1_080)
})

it.each([1, 0.5])(
  'a process that was idle after an answer does not spend what others have spent, its share then %d',
  async (share) => {
    const at = begin(100_000, 3, share)
    const first = at.ask(0, 80)
    await at.advance(10)
    await first
    at.setShare(1 / 3)
    await at.advance(60_000)
    for (let i = 0; !at.isRefused; i++) {
      const asked = at.ask(1 + (i % 2), 80)
      await at.advance(3)
      await asked
    }
    const before = at.spent
    await at.advance(300)
    for (let i = 0; i < 100; i++) void at.ask(0, 80)
    await at.advance(300)
    expect(at.spent).toBe(before)
    expect(at.spent).toBeLessThanOrEqual(100_000)
  },
)

it('a process that asks seldom waits for one answer a call, and far from the end of a great quota for none', async () => {
  for (const [credits, questions] of [
    [100_000, 20],
    [1e12, 0],
  ] as const) {
    const at = begin(credits, 3)
    const first = at.ask(0, 80)
    await at.advance(10)
    await first
    let waited = 0
    for (let i = 0; i < 20; i++) {
      await at.advance(1_000)
      const refusal = at.limiters[0]!.admit('eth_call', '', 80)
      if (refusal?.reserve === undefined) continue
      waited++
      const stands = refusal.reserve()
      await at.advance(5)
      expect(await stands).toBeUndefined()
    }
    expect(waited).toBe(questions)
  }
})

it('a quota that only refuses dear calls has its mark 100 once', async () => {
  const at = begin(1_000, 1)
  for (let i = 0; i < 12; i++) void at.ask(0, 80)
  for (let i = 0; i < 3; i++) void at.ask(0, 80)
  expect(at.warnings.map(({ mark }) => mark)).toEqual([75, 85, 100])
  void at.ask(0, 40)
  expect(at.spent).toBe(1_000)
  expect(at.warnings).toHaveLength(3)
})

it.each([1, 3])('a call dearer than any that was admitted reaches no mark, among %i processes', async (processes) => {
  const at = begin(1_000, processes)
  const ask = async (price: number): Promise<void> => {
    const asked = at.ask(0, price)
    await at.advance(3)
    await asked
  }
  await ask(40)
  await ask(1_000)
  expect([at.spent, at.isRefused, at.warnings]).toEqual([40, true, []])
  for (let i = 0; i < 24; i++) await ask(40)
  expect(at.spent).toBe(1_000)
  await at.advance(300)
  expect(at.warnings.map(({ mark }) => mark)).toEqual([75, 85, 100])
})

it('a call that was given back lets a refusal reach no mark', () => {
  const at = begin(1_000, 1)
  void at.ask(0, 700)
  at.limiters[0]!.giveBack('eth_call', '', 660)
  void at.ask(0, 970)
  expect([at.isRefused, at.warnings]).toEqual([true, []])
})

describe.each(cases)(
  'a quota of $credits credits that events spend in $processes processes',
  ({ credits, processes }) => {
    it.each([
      ['20 streams at once', 20],
      ['one stream', 1],
    ])('ends at one event that has less than its price, and no event is told after it: %s', async (_, streams) => {
      const at = begin(credits, processes)
      const sessions = Array.from({ length: streams }, (__, i) => ({ limiter: at.limiters[i % processes]!, ends: 0 }))
      let pushed = 0
      for (let event = 0; event < credits / 300 / streams + 8; event++) {
        for (const session of sessions) {
          const charge = Promise.resolve(session.limiter.charge('eth_subscribe', '', 300))
          void charge.then((spent) => {
            if (spent?.isDebited !== false) pushed++
            if (spent !== undefined) session.ends++
          })
        }
        await at.advance(credits > 10_000 ? 13 : 500)
      }
      expect(pushed).toBe(Math.ceil(credits / 300))
      await at.advance(300)
      expect(at.warnings.map(({ mark }) => mark).toSorted((a, b) => a - b)).toEqual([75, 85, 100])
      for (const { ends } of sessions) expect(ends).toBeGreaterThan(0)
    })
  },
)

it('an event that one of two quotas has no credits for is debited from neither', async () => {
  const at = begin(1_000, 2)
  const { limits } = at
  const [own, other] = limits.map((some) => some.of({ id: 'k', plan: { perDay: { credits: 100 } } }, at.project))
  const first = own!.charge('eth_subscribe', '', 100)
  const second = other!.charge('eth_subscribe', '', 300)
  await at.advance(20)
  expect((await Promise.all([first, second])).map((spent) => spent?.isDebited)).toEqual([true, false])
  await at.advance(300)
  expect(own!.fields('eth_subscribe', '')!.limit).toMatch(/"key-day";r=0;.*"project-day";r=900;/)
})
