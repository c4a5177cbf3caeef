import { checkConfig, ConfigError, printProblem, startGateway } from '@wayleave/gateway'
import { checkPlan, type Plan } from '@wayleave/metering'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { warningPaths, warningsOf } from './report.ts'

const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: ['ws://node'] } } as const
const keys = [{ key: 'a-key-that-is-long-enough' }]

function problemsOf(config: object): readonly string[] {
  try {
    checkConfig({ networks, projects: [{ name: 'p', keys }], ...config })
    return []
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.problems.map((problem) => printProblem(problem))
  }
}

const whole = {
  perSecond: { credits: 500, burst: 1_000 },
  perDay: { credits: 3_000_000, action: 'stop', marks: [50, 100] },
  perMonth: { credits: 0, action: 'warn' },
  methods: { 'debug_*': { perSecond: { credits: 1 } }, eth_getLogs: { perDay: { credits: 10 } } },
  perVisitor: { perSecond: { credits: 10 } },
}

describe('metering in the configuration', () => {
  it('may have everything at once', () => {
    expect(
      problemsOf({
        plans: { free: whole, none: {} },
        projects: [{ name: 'p', plan: 'free', keys: [{ key: 'a-key-that-is-long-enough', plan: 'none' }] }],
        prices: {
          evm: { eth_call: 80, 'debug_*': 1_000, '*': 10 },
          starknet: { starknet_call: 0 },
          gas: { 'suggestedGasFees/stream': 100 },
          ipfs: { 'pin/add': 500 },
          events: { newHeads: 50 },
        },
        usage: { spool: '/var/lib/wayleave/spool', keepDays: { minutes: 1, hours: 2, days: 32 } },
        webhook: { url: 'https://example.org/hook', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      }),
    ).toEqual([])
  })

  it.each<[string, object, string | RegExp]>([
    ['a misspelt limit', { plans: { a: { perHour: {} } } }, /^plans\.a\.perHour: expected .*got an unknown member$/],
    [
      'a rate of nothing',
      { plans: { a: { perSecond: { credits: 0 } } } },
      'plans.a.perSecond.credits: expected a whole number of credits a second, from 1 to 10,000,000, got 0',
    ],
    [
      'an action that is none',
      { plans: { a: { perDay: { credits: 1, action: 'block' } } } },
      'plans.a.perDay.action: expected "warn" or "stop", got "block"',
    ],
    [
      'a mark beyond 100',
      { plans: { a: { perMonth: { credits: 1, marks: [75, 101] } } } },
      'plans.a.perMonth.marks[1]: expected a whole percentage from 1 to 100, got 101',
    ],
    [
      'a method that is none',
      { plans: { a: { methods: { 'a b': {} } } } },
      /^plans\.a\.methods\["a b"\]: expected a method name/,
    ],
    [
      'a plan that a project names and nobody has',
      { plans: { free: {} }, projects: [{ name: 'p', plan: 'pro', keys: [] }] },
      'projects[0].plan: expected one of free, the `plans`, got "pro"',
    ],
    [
      'a plan that a key names, where there are none',
      { projects: [{ name: 'p', keys: [{ key: 'a-key-that-is-long-enough', plan: 'constructor' }] }] },
      'projects[0].keys[0].plan: expected a name of `plans`, which has none, got "constructor"',
    ],
    [
      'a price below 0',
      { prices: { evm: { eth_call: -1 } } },
      'prices.evm.eth_call: expected a whole number of credits from 0 to 1,000,000,000, got -1',
    ],
    [
      'prices of a kind that is none',
      { prices: { bitcoin: {} } },
      /^prices\.bitcoin: expected .*got an unknown member$/,
    ],
    [
      'days that a month does not fit in',
      { usage: { keepDays: { days: 31 } } },
      'usage.keepDays.days: expected a whole number of days, at least 32, got 31',
    ],
    [
      'a webhook with a password in its URL',
      { webhook: { url: 'https://user:hidden@example.org', secret: 'sixteen-letters-' } },
      'webhook.url: expected an http or https URL without a user, got another value',
    ],
    [
      'a short secret',
      { webhook: { url: 'https://example.org', secret: 'hidden' } },
      'webhook.secret: expected a secret of at least 16 printable characters; after whsec_, base64, got another value',
    ],
    [
      'a secret as a name',
      { webhook: { 'hidden-hidden-hidden': 1, url: 'https://e.org', secret: 'sixteen-letters-' } },
      /^webhook: /,
    ],
  ])('refuses %s', (_, config, expected) => {
    const [problem, ...others] = problemsOf(config)
    expect(others).toEqual([])
    if (typeof expected === 'string') expect(problem).toBe(expected)
    else expect(problem).toMatch(expected)
    expect(problem).not.toContain('hidden')
  })

  it('takes the plans that metering takes, and no others', () => {
    const credits = fc.oneof(
      fc.integer({ min: -1, max: 3 }),
      fc.constantFrom(1e7, 1e7 + 1, 1e9, 1e12, 1e12 + 1, 0.5, '1'),
    )
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
    const rate = fc.record({ credits, burst: credits }, { requiredKeys: ['credits'] })
    const quota = fc.record(
      {
        credits,
        action: fc.constantFrom('warn', 'stop', 'other'),
        marks: fc.array(fc.integer({ min: 0, max: 101 }), { maxLength: 11 }),
      },
      { requiredKeys: ['credits'] },
    )
    const rules = fc.record(
      { perSecond: maybe(rate), perDay: maybe(quota), perMonth: maybe(quota) },
      { requiredKeys: [] },
    )
    const plan = fc.record(
      {
        perSecond: maybe(rate),
        perDay: maybe(quota),
        perMonth: maybe(quota),
        methods: maybe(fc.dictionary(fc.constantFrom('eth_call', 'debug_*', '*', 'a b', '_x'), rules, { maxKeys: 2 })),
        perVisitor: maybe(rules),
        other: maybe(fc.constant({})),
      },
      { requiredKeys: [] },
    )
    const isPlan = (value: unknown): boolean => {
      try {
        checkPlan(value as Plan)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(plan, (generated) => {
        // Members that are undefined stand for none in the configuration, and are no members here.
        const value = JSON.parse(JSON.stringify(generated)) as unknown
        expect(problemsOf({ plans: { generated: value } }).length === 0).toBe(isPlan(value))
      }),
      { numRuns: 2_000 },
    )
  })

  it('warns of quotas that nothing keeps', async () => {
    const config = { networks, plans: { free: { perDay: { credits: 1 } } } }
    const warned = (await warningsOf(config)).map((warning) => printProblem(warning))
    expect(warned).toEqual([
      'store: expected a database, or dataDir, as quotas of a day or a month begin anew with each start otherwise, got nothing',
    ])
    expect(await warningPaths({ ...config, dataDir: 'data' })).toEqual([])
    expect(await warningPaths({ networks, plans: { free: { perSecond: { credits: 1 } } } })).toEqual([])
  })

  it('ends the start of an unchecked configuration that is wrong', async () => {
    const listen = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
    const unchecked = { networks, listen, projects: [{ name: 'p', keys, plan: 'missing' }] }
    await expect(startGateway(unchecked)).rejects.toThrow('there is no plan "missing" among `plans`')
  })
})
