import type { UpstreamOrder } from '@wayleave/upstream'
import { type PolicyTrial, type SimulatedUpstream, tryPolicy } from '@wayleave/upstream/simulation'
import { describe, expect, it } from 'vitest'

const upstreams: readonly SimulatedUpstream[] = [
  { name: 'a' },
  { name: 'b' },
  { name: 'paid', tier: 'fallback', budget: { perSecond: 1_000 } },
]

const run = (policy?: UpstreamOrder, of = upstreams): Promise<readonly PolicyTrial[]> =>
  tryPolicy({ upstreams: of, policy, now: () => 0 })

const faultsOf = (trials: readonly PolicyTrial[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(trials.flatMap(({ outcome, faults }) => (faults.length > 0 ? [[outcome.scenario, faults]] : [])))

describe('tryPolicy', () => {
  it('finds nothing wrong with the default one, and each run is the same', { timeout: 30_000 }, async () => {
    const trials = await run()
    expect(trials.map(({ outcome }) => outcome.scenario)).toEqual([
      'all well',
      'one slow',
      'one down',
      'all primaries down',
      'flapping',
      'rate-limited',
      'one behind',
    ])
    expect(faultsOf(trials)).toEqual({})
    for (const { outcome } of trials) {
      expect(outcome.calls).toBeGreaterThan(1_000)
      expect(outcome.failed).toBe(0)
      expect(outcome.p50Ms).toBeGreaterThan(5)
    }
    const [well, , , down] = trials
    expect(well!.outcome.asked['paid']).toBe(0)
    expect(down!.outcome.asked['paid']).toBeGreaterThan(100)
    expect(await run()).toEqual(trials)
  })

  it('tells a policy that loses calls', { timeout: 30_000 }, async () => {
    const faults = faultsOf(await run((eligible) => eligible.filter(({ endpoint }) => endpoint.name === 'a')))
    expect(Object.keys(faults)).not.toContain('all well')
    expect(faults['one down']?.[0]).toMatch(/^it lost \d+ of \d+ calls that the default order serves$/)
  })

  it('tells a policy that throws, though it loses no call', { timeout: 30_000 }, async () => {
    const trials = await run((eligible) => {
      if (eligible.length < 3) throw new Error('expected three')
      return eligible
    })
    const faults = faultsOf(trials)
    expect(faults['one behind']?.[0]).toMatch(/^it threw \d+ times: Error: expected three$/)
    expect(trials.map(({ outcome }) => outcome.failed)).toEqual(trials.map(() => 0))
  })

  it('tells a policy that returns what must not be asked', { timeout: 30_000 }, async () => {
    let all: Parameters<UpstreamOrder>[0] = []
    const faults = faultsOf(
      await run((eligible) => {
        if (eligible.length > all.length) all = eligible
        return all
      }),
    )
    expect(faults['one behind']?.[0]).toMatch(/^it returned what must not be asked \d+ times$/)
  })

  it('leaves out what cannot happen to a lone upstream', { timeout: 30_000 }, async () => {
    const trials = await run(undefined, [{ name: 'a' }])
    expect(trials.map(({ outcome }) => outcome.scenario)).toEqual(['all well'])
  })
})
