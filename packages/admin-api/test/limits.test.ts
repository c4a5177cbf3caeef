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

/** Numbers around all bounds, and what is none. */
const anyNumber = fc.constantFrom<unknown>(
  ...[-1, 0, 1, 0.5, 100, 101, 1e7, 1e7 + 1, 1e9, 1e9 + 1, 1e12, 1e12 + 1, 2 ** 53, Infinity, NaN, '1', null],
)
const someOf = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T) =>
  fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<object>
const rate = someOf({ credits: fc.oneof(fc.constant(5), anyNumber), burst: anyNumber })
const quota = someOf({
  credits: fc.oneof(fc.constant(5), anyNumber),
  action: fc.constantFrom<unknown>('warn', 'stop', 'halt', 1),
  marks: fc.oneof(fc.array(anyNumber, { maxLength: 12 }), fc.constantFrom<unknown>({}, 'all')),
  other: fc.constant(1),
})
const maybe = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1, 'x') })
const limitRules = someOf({ perSecond: maybe(rate), perDay: maybe(quota) })
const plan = someOf({
  perSecond: maybe(rate),
  perDay: maybe(quota),
  perMonth: maybe(quota),
  methods: fc.dictionary(fc.constantFrom('eth_call', 'debug_*', '*', 'a b', 'ü', ''), limitRules),
  perVisitor: maybe(limitRules),
  perYear: fc.constant({}),
})

it('the limits that pass are those that metering takes', () => {
  let passed = 0
  fc.assert(
    fc.property(plan, (value) => {
      const isSound = passes(() => checkPlan(value as Plan))
      if (isSound) passed++
      expect(issues(limits, value).length === 0).toBe(isSound)
    }),
    { numRuns: 3_000 },
  )
  expect(passed).toBeGreaterThan(100)
})

it('the rules that pass are those that auth reads', () => {
  const entry = fc.constantFrom(
    ...[
      'eth_call',
      '',
      'a b',
      '0x12',
      '0x',
      'https://a.b',
      'https://*.a.b',
      'https://',
      'a/b',
      '10.0.0.0/8',
      '10.0.0.0/33',
      '::1',
    ],
  )
  const list = fc.oneof(fc.array(entry, { maxLength: 3 }), fc.constantFrom<unknown>('x', Array(31).fill('0x1')))
  const lists = someOf({ methods: list, addresses: list, origins: list, userAgents: list, sources: list, hosts: list })
  let passed = 0
  fc.assert(
    fc.property(lists, (value) => {
      const isSound = passes(() => parseRules(value))
      if (isSound) passed++
      expect(issues(rules, value).length === 0).toBe(isSound)
    }),
    { numRuns: 3_000 },
  )
  expect(passed).toBeGreaterThan(50)
})
