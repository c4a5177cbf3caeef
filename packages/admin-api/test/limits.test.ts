import { parseRules } from '@wayleave/auth'
import { checkPlan, type Plan } from '@wayleave/metering'
import { issues } from '@wayleave/jsonrpc-core/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { limits } from '../src/model/limits.ts'
import { rules } from '../src/model/rules.ts'

function passes(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}

/** Numbers around all bounds, and what is none. But for null, which `metering` takes for an absent burst, and this API does not. */
const anyNumber = fc.constantFrom<unknown>(
  -1,
  0,
  1,
  0.5,
  100,
  101,
  1e7,
  1e7 + 1,
  1e9,
  1e9 + 1,
  1e12,
  1e12 + 1,
  2 ** 53,
  Infinity,
  NaN,
  '1',
)
const someOf = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T) =>
  fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<object>
const number = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 1, max: 100 }) },
  { weight: 1, arbitrary: anyNumber },
)
const rate = fc.record({ credits: number, burst: number }, { requiredKeys: ['credits'] })
const quota = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record(
      { credits: number, action: fc.constantFrom('warn', 'stop'), marks: fc.array(number, { maxLength: 10 }) },
      { requiredKeys: ['credits'] },
    ),
  },
  {
    weight: 1,
    arbitrary: someOf({
      credits: number,
      action: fc.constantFrom<unknown>('halt', 1),
      marks: fc.constantFrom<unknown>({}, 'all', Array(11).fill(5)),
      other: fc.constant(1),
    }),
  },
)
const maybe = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 30, arbitrary }, { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1, 'x') })
const limitRules = someOf({ perSecond: maybe(rate), perDay: maybe(quota) })
const sound = {
  perSecond: maybe(rate),
  perDay: maybe(quota),
  perMonth: maybe(quota),
  methods: fc.dictionary(fc.constantFrom('eth_call', 'debug_*', 'eth_chainId'), limitRules, { maxKeys: 2 }),
  perVisitor: maybe(limitRules),
}
const plan = fc.oneof(
  { weight: 8, arbitrary: someOf(sound) },
  { weight: 1, arbitrary: someOf({ ...sound, perYear: fc.constant({}) }) },
  {
    weight: 1,
    arbitrary: someOf({ ...sound, methods: fc.dictionary(fc.constantFrom('*', 'a b', 'ü', ''), limitRules) }),
  },
)

it('the limits that pass are those that metering takes', () => {
  let [passed, refused] = [0, 0]
  fc.assert(
    fc.property(plan, (value) => {
      const isSound = passes(() => checkPlan(value as Plan))
      if (isSound) passed++
      else refused++
      expect(issues(limits, value).length === 0).toBe(isSound)
    }),
    { numRuns: 1_500 },
  )
  expect(Math.min(passed, refused)).toBeGreaterThan(100)
})

it('the rules that pass are those that auth reads', () => {
  const odd = fc.constantFrom('', 'a b', '0x', 'https://a/b', '10.0.0.0/33', 'x'.repeat(257))
  const listOf = (...good: readonly string[]) =>
    fc.oneof(
      {
        weight: 20,
        arbitrary: fc.array(
          fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: odd }),
          { maxLength: 3 },
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom<unknown>('x', [1], Array(30).fill(good[0]), Array(31).fill(good[0])) },
    )
  const lawful = {
    methods: listOf('eth_call', 'a.b', 'a/b-c'),
    addresses: listOf('0x12', `0x${'A'.repeat(64)}`),
    origins: listOf('https://a.b', 'https://*.a.b', 'https://', 'a.b'),
    userAgents: listOf('Mozilla', ' '),
    sources: listOf('10.0.0.0/8', '::1', '2001:db8::/32'),
  }
  const lists = fc.oneof(
    { weight: 9, arbitrary: someOf(lawful) },
    { weight: 1, arbitrary: someOf({ ...lawful, hosts: odd }) },
  )
  let [passed, refused] = [0, 0]
  fc.assert(
    fc.property(lists, (value) => {
      // An empty list passes nothing, and a caller of the API rarely means that.
      const isEmpty = Object.values(value).some((list) => Array.isArray(list) && list.length === 0)
      const isSound = !isEmpty && passes(() => parseRules(value))
      if (isSound) passed++
      else refused++
      expect(issues(rules, value).length === 0).toBe(isSound)
    }),
    { numRuns: 1_500 },
  )
  expect(Math.min(passed, refused)).toBeGreaterThan(100)
})
