import { UsageError } from '@wayleave/bench/program'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../pool-bars/command-line.ts'
import { sumOf } from '../pool-bars/gateways/metrics.ts'
import type { Product } from '../pool-bars/gateways/gateway.ts'
import { wayleave } from '../pool-bars/gateways/wayleave.ts'
import type { Sample } from '../pool-bars/load/load-program.ts'
import { figure, holds, percent } from '../pool-bars/measure/figure.ts'
import { printResult } from '../pool-bars/report.ts'
import { type Result, runScenario } from '../pool-bars/run-scenario.ts'
import type { Scenario } from '../pool-bars/scenario.ts'
import { dead } from '../pool-bars/scenarios/dead.ts'
import { equal } from '../pool-bars/scenarios/equal.ts'
import { scenarios } from '../pool-bars/scenarios/scenarios.ts'
import { countFalse } from '../pool-bars/scenarios/wrong.ts'

// The bars themselves are held by a command, on a quiet machine: `pnpm --filter @wayleave/conformance pool-bars`.

const run = async (scenario: Scenario, product = wayleave, seconds = 3) => {
  const result = await runScenario(scenario, product, {
    seconds,
    calls: 300,
    signal: AbortSignal.timeout(60_000),
  })
  const values = Object.fromEntries(result.figures.map(({ name, value }) => [name, value]))
  return { result, values }
}

describe('on processes', () => {
  it('a node that is killed costs no call, and gets few of them', { timeout: 90_000 }, async () => {
    const { values } = await run(dead)
    expect(values['failed calls']).toBe(0)
    // A third of the calls that are due since would be a hundred.
    expect(values['calls sent to it after']).toBeLessThan(50)
  })

  it('three nodes that are alike share the calls', { timeout: 90_000 }, async () => {
    // The first that is known to have all blocks is asked until the others have told what they have.
    const { values } = await run(equal, wayleave, 6)
    expect(values['least share of the calls']).toBeGreaterThan(0.15)
  })
})

it('a gateway that cannot be measured breaks a bar, and says why', async () => {
  const product: Product = {
    name: 'none',
    verifies: false,
    start: () => Promise.reject(new Error('it did not start')),
  }
  const { result } = await run(equal, product)
  expect(result.broken).toEqual(['not measured: it did not start'])
  expect(printResult(result)[0]).toBe('equal, none: not measured: it did not start')
})

describe('a figure', () => {
  it.each([
    { value: 0.01, bounds: { most: 0.01 }, kept: true },
    { value: 0.011, bounds: { most: 0.01 }, kept: false },
    { value: 0.25, bounds: { least: 0.25 }, kept: true },
    { value: 0.24, bounds: { least: 0.25 }, kept: false },
    { value: Number.NaN, bounds: { most: 1 }, kept: false },
    { value: Number.NaN, bounds: { least: 0 }, kept: false },
    { value: 9, bounds: undefined, kept: true },
  ])('of $value keeps the bar $bounds: $kept', ({ value, bounds, kept }) => {
    expect(holds(figure('share', value, percent, bounds))).toBe(kept)
  })

  it('is printed with its bar, and with the state of the machine', () => {
    const result: Result = {
      scenario: 'hang',
      product: 'Wayleave',
      figures: [figure('calls over 1 s', 0.02, percent, { most: 0.01 })],
      machine: { cores: 2, load: 0.5, stolen: 0.01 },
      ownDelay: { p99: 2, max: 7 },
      broken: [],
    }
    expect(printResult(result)).toEqual([
      'hang, Wayleave: calls over 1 s: 2.00 % (bar ≤ 1.00 %, BROKEN)',
      'hang, Wayleave: machine: 2 cores, load 0.5, stolen 1.0 %; callers late by 2 ms at p99, 7 ms at most',
    ])
  })
})

describe('answers of a faulty node', () => {
  const sample = (part: Partial<Sample>): Sample => ({
    due: 0,
    ms: 1,
    failure: '',
    upstream: 'good',
    balance: undefined,
    height: undefined,
    ...part,
  })
  const found = (...parts: readonly Partial<Sample>[]): number => countFalse(parts.map(sample), 'bad', '0x2a')

  it('are known by the balance of another chain, an old block, or its name', () => {
    expect(found({ balance: '0x1' })).toBe(1)
    expect(found({ height: 40 }, { height: 29 }, { height: 30 })).toBe(1)
    expect(found({ height: 40 }, { height: 0 })).toBe(1)
    expect(found({ balance: '0x2a', upstream: 'bad' })).toBe(1)
  })

  it('are not those of others, nor failures', () => {
    expect(found({ balance: '0x2a' }, { height: 40 }, { height: 39 }, { failure: 'status 503' })).toBe(0)
  })
})

it('series of a metric are added up by their labels', () => {
  const text = [
    '# TYPE calls_total counter',
    'calls_total{endpoint="a",purpose="caller"} 3',
    'calls_total{endpoint="a",purpose="hedge"} 1',
    'calls_total{endpoint="b",purpose="caller"} 5',
    'calls_total_other{endpoint="a",purpose="caller"} 7',
    'up 2',
  ].join('\n')
  expect(sumOf(text, 'calls_total', { endpoint: 'a' })).toBe(4)
  expect(sumOf(text, 'calls_total', { purpose: 'caller' })).toBe(8)
  expect(sumOf(text, 'calls_total')).toBe(9)
  expect(sumOf(text, 'up')).toBe(2)
})

describe('the command line', () => {
  it('has all scenarios, a minute and 10,000 reads by default', () => {
    expect(parseCommandLine([])).toMatchObject({ only: scenarios.map(({ name }) => name), seconds: 60, calls: 10_000 })
    expect(parseCommandLine(['--', '--only', 'hang', '--full'])).toMatchObject({ only: ['hang'], calls: 100_000 })
  })

  it.each([
    [['--only', 'hung'], '--only takes hang, dead, flaky, paid, fallback, equal, wrong, not hung'],
    [['--seconds', '4'], '--seconds takes a whole number of at least 5, not 4'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (args, why) => {
    expect(() => parseCommandLine(args)).toThrow(UsageError)
    expect(() => parseCommandLine(args)).toThrow(why)
  })
})
