import { describe, expect, it } from 'vitest'
import { families } from '../starvation/families/families.ts'
import { bars, type Condition, judge, type Latencies, type Memory } from '../starvation/measure/bars.ts'
import { runFamily } from '../starvation/run-family.ts'

// The bars of latency and memory are held by a command, which knows a busy machine: `pnpm --filter @wayleave/conformance starvation`.

/** Families that starved others, or took gigabytes, before there were budgets. */
const short = ['hanging batch', 'WebSocket never read', 'stalled stderr']

/** A gateway that has served one round, and is not watched once the attack is over. */
const run = { idleSeconds: 1, seconds: 9, warmUpRounds: 1, settleSeconds: 0 }

/** Twice the bar, in MB: other tests run on the same cores. Without a budget it was 2,759 MB. */
const mostMegabytes = 512

describe('while one project attacks, another has all its answers, and the memory has a bound:', () => {
  for (const name of short) {
    it(name, { timeout: 400_000 }, async () => {
      const family = families.find((each) => each.name === name)!
      const { tallies, probes, memory } = await runFamily(family, run)
      expect(tallies).not.toEqual({})
      expect(probes.map(({ kind, attacked: { failures, failure } }) => ({ kind, failures, failure }))).toEqual(
        probes.map(({ kind }) => ({ kind, failures: 0, failure: '' })),
      )
      expect(probes.every(({ attacked }) => attacked.calls > 0)).toBe(true)
      expect(memory.peak - memory.idle).toBeLessThan(mostMegabytes)
    })
  }
})

describe('the verdict', () => {
  const fine: Latencies = { calls: 100, failures: 0, failure: '', p50: 2, p99: 10, max: 20 }
  const memory: Memory = { idle: 150, peak: 400, settled: 200 }
  const write = (attacked: Partial<Latencies>) => [{ kind: 'write', idle: fine, attacked: { ...fine, ...attacked } }]
  const calm: Condition = { alive: true, excludedBefore: [], excludedAfter: [] }

  it('holds at the bars', () => {
    expect(judge(bars, write({ p99: 80 }), { idle: 150, peak: 406, settled: 214 }, calm)).toEqual([])
  })

  it('names each bar that breaks, with its figures', () => {
    expect(judge(bars, write({ p99: 81 }), memory, calm)).toEqual(['write: p99 81 ms, bar 80 ms'])
    expect(judge(bars, write({ failures: 1, failure: 'status 503' }), memory, calm)).toEqual([
      'write: 1 of 100 calls failed (status 503)',
    ])
    expect(judge(bars, write({ calls: 0, p99: 0 }), memory, calm)).toEqual(['write: no call was made'])
    expect(judge(bars, write({}), { ...memory, peak: 407 }, calm)).toEqual(['memory: 257 MB over idle, bar 256 MB'])
    expect(judge(bars, write({}), { ...memory, settled: 215 }, calm)).toEqual([
      'memory: 65 MB over idle when it is over, bar 64 MB',
    ])
    expect(judge(bars, write({}), memory, { ...calm, alive: false })).toEqual(['the gateway ended'])
  })

  it('holds for no rig whose caller fails or whose upstreams are excluded without an attack, or still after it', () => {
    const failing = [{ kind: 'write', idle: { ...fine, failures: 2, failure: 'status 502' }, attacked: fine }]
    expect(judge(bars, failing, memory, calm)).toEqual(['write: 2 of 100 calls failed before the attack (status 502)'])
    const excluded = ['upstream-1 of one is excluded (false answers)']
    expect(judge(bars, write({}), memory, { ...calm, excludedBefore: excluded })).toEqual([
      'before the attack: upstream-1 of one is excluded (false answers)',
    ])
    expect(judge(bars, write({}), memory, { ...calm, excludedAfter: excluded })).toEqual([
      'after the attack: upstream-1 of one is excluded (false answers)',
    ])
  })

  it('asks a family without a bar for latency only for the others', () => {
    const endless = { ...bars, plusMs: Number.POSITIVE_INFINITY }
    expect(
      judge(endless, write({ p99: 30_000, failures: 9 }), { ...memory, peak: 1_000 }, { ...calm, alive: false }),
    ).toEqual(['the gateway ended', 'memory: 850 MB over idle, bar 256 MB'])
  })
})

it('families are numbered without a gap, and named once', () => {
  expect(families.map(({ number }) => number)).toEqual(families.map((_, i) => i))
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
})
