import { expect, test } from 'vitest'
import { createMethodPlans } from '../../src/networks/method-plans.ts'

test('plans of several methods are remembered for one text, and what is nothing as null', () => {
  const plans = createMethodPlans<string>(4)
  plans.set('balance', '["0x1"]', 'a')
  plans.set('code', '["0x1"]', null)
  expect(plans.get('balance', '["0x1"]')).toBe('a')
  expect(plans.get('code', '["0x1"]')).toBeNull()
  expect(plans.get('nonce', '["0x1"]')).toBeUndefined()
  expect(plans.get('balance', '["0x2"]')).toBeUndefined()
})

test('methods past the fourth of a text begin anew, and texts past twice the bound are forgotten', () => {
  const plans = createMethodPlans<number>(2)
  for (let i = 0; i < 5; i++) plans.set(`method ${i}`, '[]', i)
  expect(plans.get('method 4', '[]')).toBe(4)
  expect(plans.get('method 0', '[]')).toBeUndefined()
  for (let i = 0; i < 5; i++) plans.set('method', `[${i}]`, i)
  expect(plans.get('method 4', '[]')).toBeUndefined()
  expect(plans.get('method', '[4]')).toBe(4)
})
