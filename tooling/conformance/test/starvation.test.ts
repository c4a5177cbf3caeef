import { describe, expect, it } from 'vitest'
import { families } from '../starvation/families/families.ts'
import { bars, judge, type Latencies, type Memory } from '../starvation/measure/bars.ts'
import { runCalmly } from '../starvation/run-calmly.ts'

// The long form is a command: `pnpm --filter @wayleave/conformance starvation`.

/** The families that starved others or took gigabytes before there were budgets, and a run without any attack. */
const short = [
  'nobody',
  'hanging batch',
  'hanging calls',
  'held bodies',
  'WebSocket never read',
  'pipelined batches',
  'pipelined gzip',
  'stalled stderr',
]

describe('while one project attacks, another has its answers and the gateway its memory:', () => {
  for (const name of short) {
    it(name, { timeout: 400_000 }, async () => {
      const family = families.find((each) => each.name === name)!
      // Other tests run on the same cores: only a run that breaks a bar undisturbed, or three in a row, tells of a fault.
      const result = await runCalmly(family, { idleSeconds: 4, seconds: 8, repeats: 2 })
      if (name !== 'nobody') expect(result.tallies).not.toEqual({})
      expect(result.broken).toEqual([])
    })
  }
})

describe('the verdict', () => {
  const fine: Latencies = { calls: 100, failures: 0, failure: '', p50: 2, p99: 10, max: 20 }
  const memory: Memory = { idle: 150, peak: 400, settled: 200 }
  const write = (attacked: Partial<Latencies>) => [{ kind: 'write', idle: fine, attacked: { ...fine, ...attacked } }]

  it('holds at the bars', () => {
    expect(judge(bars, write({ p99: 80 }), { idle: 150, peak: 406, settled: 214 }, true)).toEqual([])
  })

  it('names each bar that breaks, with its figures', () => {
    expect(judge(bars, write({ p99: 81 }), memory, true)).toEqual(['write: p99 81 ms, bar 80 ms'])
    expect(judge(bars, write({ failures: 1, failure: 'status 503' }), memory, true)).toEqual([
      'write: 1 of 100 calls failed (status 503)',
    ])
    expect(judge(bars, write({ calls: 0, p99: 0 }), memory, true)).toEqual(['write: no call was made'])
    expect(judge(bars, write({}), { ...memory, peak: 407 }, true)).toEqual(['memory: 257 MB over idle, bar 256 MB'])
    expect(judge(bars, write({}), { ...memory, settled: 215 }, true)).toEqual([
      'memory: 65 MB over idle when it is over, bar 64 MB',
    ])
    expect(judge(bars, write({}), memory, false)).toEqual(['the gateway ended'])
  })

  it('asks a family without a bar for latency only for the others', () => {
    const endless = { ...bars, plusMs: Number.POSITIVE_INFINITY }
    expect(judge(endless, write({ p99: 30_000, failures: 9 }), { ...memory, peak: 1_000 }, false)).toEqual([
      'the gateway ended',
      'memory: 850 MB over idle, bar 256 MB',
    ])
  })
})

it('families are numbered without a gap, and named once', () => {
  expect(families.map(({ number }) => number)).toEqual(families.map((_, i) => i))
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
})
