import { expect, it } from 'vitest'
import { createMissingMethods } from '../../src/health/missing-methods.ts'

it('remembers a missing method for ten minutes, and the last 4,096 of short names at most', () => {
  const missing = createMissingMethods()
  missing.add('trace_block', 0)
  expect(missing.has('trace_block', 599_999)).toBe(true)
  expect(missing.has('eth_call', 0)).toBe(false)
  expect(missing.has('trace_block', 600_000)).toBe(false)
  for (let i = 0; i < 5_000; i++) missing.add(`made_up${i}`, 0)
  const remembered = Array.from({ length: 5_000 }, (_, i) => missing.has(`made_up${i}`, 1))
  expect(remembered.filter(Boolean)).toHaveLength(4_096)
  missing.add('m'.repeat(129), 0)
  expect(missing.has('m'.repeat(129), 1)).toBe(false)
  expect(remembered.slice(-4_096).every(Boolean)).toBe(true)
})
