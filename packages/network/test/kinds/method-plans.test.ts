import { expect, test } from 'vitest'
import { createMethodPlans, type MethodPlans } from '../../src/kinds/method-plans.ts'

/** Tells a plan as often as it takes to be kept. */
function keep<Plan>(plans: MethodPlans<Plan>, method: string, text: string, plan: Plan | null): void {
  plans.set(method, text, plan)
  plans.set(method, text, plan)
}

test('plans of several methods are remembered for one text, and what is nothing as null', () => {
  const plans = createMethodPlans<string>(4)
  keep(plans, 'balance', '["0x1"]', 'a')
  keep(plans, 'code', '["0x1"]', null)
  expect(plans.get('balance', '["0x1"]')).toBe('a')
  expect(plans.get('code', '["0x1"]')).toBeNull()
  expect(plans.get('nonce', '["0x1"]')).toBeUndefined()
  expect(plans.get('balance', '["0x2"]')).toBeUndefined()
})

test('methods past the fourth of a text begin anew, and texts past twice the bound are forgotten', () => {
  const plans = createMethodPlans<number>(2)
  for (let i = 0; i < 5; i++) keep(plans, `method ${i}`, '[]', i)
  expect(plans.get('method 4', '[]')).toBe(4)
  expect(plans.get('method 0', '[]')).toBeUndefined()
  for (let i = 0; i < 5; i++) keep(plans, 'method', `[${i}]`, i)
  expect(plans.get('method 4', '[]')).toBeUndefined()
  expect(plans.get('method', '[4]')).toBe(4)
})

test('a text that came once takes no room from those that come again', () => {
  const plans = createMethodPlans<number>(2)
  keep(plans, 'method', '["hot"]', 1)
  for (let i = 0; i < 1_000; i++) plans.set('method', `["once ${i}", "${'0'.repeat(i)}"]`, i)
  expect(plans.get('method', '["hot"]')).toBe(1)
  expect(plans.get('method', '["once 999"]')).toBeUndefined()
})

test('long texts that differ in their middle alone have plans of their own', () => {
  const plans = createMethodPlans<number>(4)
  const textOf = (middle: string): string => `["0x${'a'.repeat(300)}${middle}${'b'.repeat(300)}"]`
  keep(plans, 'method', textOf('1'), 1)
  keep(plans, 'method', textOf('2'), 2)
  expect([plans.get('method', textOf('1')), plans.get('method', textOf('2'))]).toEqual([1, 2])
})
