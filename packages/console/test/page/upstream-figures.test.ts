import { describe, expect, it } from 'vitest'
import { paceOf, readFigures } from '../../src/page/pages/upstream-figures.ts'

const text = `# HELP wayleave_upstream_calls_total Calls
wayleave_upstream_calls_total{network="a",endpoint="own",purpose="caller"} 100
wayleave_upstream_calls_total{network="a",endpoint="own",purpose="hedge"} 5
wayleave_upstream_failures_total{network="a",endpoint="own",failure="timeout"} 3
wayleave_upstream_seconds_bucket{network="a",endpoint="own",le="0.1"} 90
wayleave_upstream_seconds_sum{network="a",endpoint="own"} 2.5
wayleave_upstream_seconds_count{network="a",endpoint="own"} 100
wayleave_upstream_breaker{network="a",endpoint="own"} 0.5
wayleave_upstream_units_spent{network="a",endpoint="own",period="day"} 30
wayleave_upstream_units_budget{network="a",endpoint="own",period="day"} 120
wayleave_upstream_units_budget{network="a",endpoint="own",period="month"} 9
wayleave_other{network="a",endpoint="own"} 1
`

describe('figures of upstreams', () => {
  const figures = readFigures(text).get('a own')!

  it('are sums over what their series are told apart by', () => {
    expect(figures).toEqual({ calls: 105, failures: 3, answers: 100, seconds: 2.5, breaker: 0.5, spent: 0.25 })
  })

  it('tell the pace between two looks', () => {
    const later = { ...figures, calls: 205, failures: 13, answers: 190, seconds: 4.3 }
    const { callsPerSecond, failed, meanMs } = paceOf(later, figures, 5_000)
    expect([callsPerSecond, failed]).toEqual([20, 0.1])
    expect(meanMs).toBeCloseTo(20)
  })

  it('begin anew after a restart, and without an earlier look', () => {
    expect(paceOf(figures, { ...figures, calls: 9_000 }, 5_000)).toEqual({
      callsPerSecond: undefined,
      failed: 3 / 105,
      meanMs: 25,
    })
    expect(paceOf(figures, undefined, 0).meanMs).toBe(25)
  })
})
