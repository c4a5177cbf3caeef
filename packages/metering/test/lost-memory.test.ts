import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createLimits, createMemoryAuthority, type LimitAuthority, type Limits, type Plan } from '@wayleave/metering'
import { describe, expect, it } from 'vitest'

const quota = 1_000_000
const plan: Plan = { perDay: { credits: quota, marks: [] } }
const price = 80

/** Processes that share a day's quota at an authority which can be away and come back without its memory. */
function scene() {
  const clock = new FakeClock()
  let memory = createMemoryAuthority({ clock })
  let isAway = false
  let started = 0
  const authority: LimitAuthority = {
    async take(...question) {
      if (isAway) throw new Error('the authority is gone')
      return memory.take(...question)
    },
  }
  async function advance(ms: number): Promise<void> {
    for (let i = 0; i < ms; i += 10) {
      clock.advance(10)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    }
  }
  /** Starts a process that a store of usage tells what was spent. */
  function start(spent = 0) {
    const limits: Limits = createLimits({
      clock,
      shared: { authority, process: `process-${++started}`, share: () => 1 / 2 },
    })
    if (spent > 0) limits.restore({ scope: 'key', id: 'k', plan }, { day: spent, month: 0, date: clock.date() })
    const limiter = limits.of({ id: 'k', plan }, { id: 'p' })
    /** Makes calls, some in each 10 ms; returns the credits of those that were admitted. */
    return async (calls: number): Promise<number> => {
      let admitted = 0
      for (let i = 0; i < calls; i++) {
        let refusal = limiter.admit('eth_call', '', price)
        if (refusal?.reserve !== undefined) refusal = await refusal.reserve()
        if (refusal === undefined) admitted += price
        if (i % 4 === 3) await advance(10)
      }
      return admitted
    }
  }
  return {
    clock,
    start,
    advance,
    leave: () => void (isAway = true),
    comeBack: (isEmpty: boolean) => {
      isAway = false
      if (isEmpty) memory = createMemoryAuthority({ clock })
    },
    spent: async () => {
      await advance(2_000)
      return (
        quota -
        (await memory.take(`key:k:day:${Math.floor(clock.date() / 86_400_000)}`, 0, quota, 0, 'test:1')).remaining
      )
    },
  }
}

describe('a quota whose authority lost its memory', () => {
  it('counts all that live processes have spent, before and since, once', async () => {
    const at = scene()
    const [one, two] = [at.start(), at.start()]
    let admitted = (await one(50)) + (await two(70))
    at.leave()
    admitted += (await one(30)) + (await two(20))
    at.comeBack(true)
    admitted += (await two(10)) + (await one(10))
    expect(await at.spent()).toBe(admitted)
    at.leave()
    admitted += await one(10)
    at.comeBack(true)
    expect(await at.spent()).toBe(admitted)
  })

  it('counts what ended processes have spent as the store of usage has it', async () => {
    const at = scene()
    const before = await at.start()(100)
    at.leave()
    at.comeBack(true)
    const after = await at.start(before)(25)
    expect(await at.spent()).toBe(before + after)
  })

  it('counts all that its reader spent before the authority was back', async () => {
    const at = scene()
    at.leave()
    const before = 400_000
    const one = at.start(before)
    let admitted = await one(50)
    at.comeBack(true)
    admitted += await one(8)
    expect(await at.spent()).toBe(before + admitted)
  })

  it('counts once what a live process owes and the store has already told another', async () => {
    const at = scene()
    const one = at.start()
    let admitted = await one(50)
    await at.advance(1_000)
    at.leave()
    admitted += await one(40)
    const two = at.start(admitted)
    at.comeBack(true)
    admitted += await two(8)
    admitted += await one(4)
    const spent = await at.spent()
    expect(spent).toBeLessThanOrEqual(admitted)
    // The first question of the new process may be hidden behind debts of the old one.
    expect(spent).toBeGreaterThan(admitted - 9 * price)
  })
})

describe('a process that starts anew', () => {
  it('counts nothing twice that the authority remembers', async () => {
    const at = scene()
    const before = await at.start()(100)
    await at.advance(1_000)
    const after = await at.start(before)(25)
    expect(await at.spent()).toBe(before + after)
  })

  it('has its share of what the store of usage leaves while the authority is away', async () => {
    const at = scene()
    at.leave()
    const admitted = await at.start(quota - 16_000)(200)
    expect(admitted).toBe(8_000)
  })

  it('hands its quota on to a changed plan, also while the authority is away', async () => {
    const clock = new FakeClock()
    const authority: LimitAuthority = { take: () => Promise.reject(new Error('the authority is gone')) }
    const limits = createLimits({ clock, shared: { authority, process: 'a', share: () => 1 } })
    const admitted = (credits: number): number => {
      const limiter = limits.of({ id: 'k', plan: { perDay: { credits } } }, { id: 'p' })
      return Array.from({ length: 20 }, () => limiter.admit('eth_call', '', price)).filter((no) => no === undefined)
        .length
    }
    expect(admitted(800)).toBe(10)
    expect(admitted(880)).toBe(1)
  })
})
