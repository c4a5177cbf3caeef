import type { UpstreamOrder } from '@wayleave/upstream'
import { replayCalls, type ReplayedCall, type ReplayOptions, type ReplayOutcome } from '@wayleave/upstream/simulation'
import { describe, expect, it } from 'vitest'

/** A call each 100 ms, which `fast` answered in 10 ms and `slow` in 200, in turns. */
const calls: readonly ReplayedCall[] = Array.from({ length: 600 }, (_, i) => ({
  at: 1_000_000 + 100 * i,
  method: i % 10 === 0 ? 'eth_getLogs' : 'eth_call',
  upstream: i % 2 === 0 ? 'fast' : 'slow',
  ms: i % 2 === 0 ? 10 : 200,
  failed: [],
}))
const upstreams = [{ name: 'fast' }, { name: 'slow' }]
const classOf = (method: string): string => (method === 'eth_getLogs' ? 'logs' : 'read')
const only =
  (name: string): UpstreamOrder =>
  (eligible) =>
    eligible.filter(({ endpoint }) => endpoint.name === name)

const run = (more: Partial<ReplayOptions> = {}): Promise<ReplayOutcome> =>
  replayCalls({ calls, upstreams, classOf, now: () => 0, ...more })

describe('replayCalls', () => {
  it('makes each call again, as fast as its upstream answered then, each time alike', async () => {
    const slow = await run({ policy: only('slow') })
    expect(slow).toMatchObject({ calls: 600, failed: 0, p50Ms: 200, faults: {} })
    const fast = await run({ policy: only('fast') })
    expect(fast).toMatchObject({ p50Ms: 10, p95Ms: 10, asked: { fast: 600, slow: 0 } })
    expect(await run()).toEqual(await run())
  })

  it('prefers as the default policy would', async () => {
    const { asked } = await run()
    expect(asked['fast']!).toBeGreaterThan(4 * asked['slow']!)
  })

  it('has an upstream fail while it failed', async () => {
    const failing = calls.map((call, i) =>
      i >= 200 && i < 400 && call.upstream === 'fast'
        ? { ...call, upstream: 'slow', failed: [{ upstream: 'fast', kind: 'unreachable' as const, ms: 5 }] }
        : call,
    )
    const alone = await run({ calls: failing, upstreams: [{ name: 'fast' }] })
    expect(alone.failed).toBeGreaterThan(100)
    expect(alone.failed).toBeLessThan(300)
    const { failed, asked } = await run({ calls: failing })
    expect(failed).toBe(0)
    expect(asked['slow']!).toBeGreaterThan(150)
  })

  it('has an upstream without a record answer as the others did', async () => {
    const { failed, p50Ms, asked } = await run({ upstreams: [{ name: 'new' }] })
    expect({ failed, asked }).toEqual({ failed: 0, asked: { new: 600 } })
    expect([10, 200]).toContain(p50Ms)
  })

  it('counts the units of upstreams with a budget, and keeps to it', async () => {
    const paid = { name: 'fast', price: 0, budget: { prices: { eth_getLogs: 75, '*': 20 } } }
    const { units } = await run({ upstreams: [paid], policy: only('fast') })
    expect([...units]).toEqual([['fast', 60 * 75 + 540 * 20]])
    const spent = await run({ upstreams: [{ ...paid, budget: { ...paid.budget, perDay: 1_000 } }, { name: 'slow' }] })
    expect(spent.units.get('fast')).toBeLessThanOrEqual(1_000)
    expect(spent.failed).toBe(0)
  })

  it('asks upstreams of the groups of a call alone', async () => {
    const grouped = [
      { name: 'fast', groups: ['a'] },
      { name: 'slow', groups: ['b'] },
    ]
    const { asked } = await run({ upstreams: grouped, calls: calls.map((call) => ({ ...call, groups: ['b'] })) })
    expect(asked).toEqual({ fast: 0, slow: 600 })
  })

  it('tells what a policy does wrong', async () => {
    const outcome = await run({
      policy() {
        throw new Error('no order')
      },
    })
    expect(outcome).toMatchObject({ calls: 600, failed: 0, faults: { threw: 600 }, thrown: 'Error: no order' })
  })

  it('takes a missing method for that alone, and what one call asks too much of for nothing', async () => {
    const lacking = calls.map((call, i) =>
      i % 3 === 0
        ? {
            ...call,
            method: 'eth_new',
            upstream: 'slow',
            failed: [{ upstream: 'fast', kind: 'method_missing' as const, ms: 4 }],
          }
        : { ...call, upstream: 'fast', failed: [{ upstream: 'slow', kind: 'range_too_large' as const, ms: 4 }] },
    )
    const { failed, asked } = await run({ calls: lacking })
    expect(failed).toBe(0)
    expect(asked['fast']!).toBeGreaterThan(200)
    expect(asked['slow']!).toBeGreaterThan(150)
  })

  it('counts no units for questions that try whether an upstream is well again', async () => {
    const dead = [
      {
        at: 0,
        method: 'eth_call',
        upstream: undefined,
        ms: 0,
        failed: [{ upstream: 'fast', kind: 'timeout' as const, ms: 900 }],
      },
      {
        at: 600_000,
        method: 'eth_call',
        upstream: undefined,
        ms: 0,
        failed: [{ upstream: 'fast', kind: 'timeout' as const, ms: 900 }],
      },
    ]
    const { units, asked } = await run({ calls: dead, upstreams: [{ name: 'fast', price: 0, budget: {} }] })
    expect(units.get('fast')).toBe(asked['fast'])
  })

  it('lets other work go first, and takes no calls at all', async () => {
    let times = 0
    await run({ now: () => performance.now(), giveWay: async () => void times++ })
    expect(times).toBeGreaterThan(1)
    expect(await run({ calls: [] })).toMatchObject({ calls: 0, p50Ms: Number.NaN })
  })
})
