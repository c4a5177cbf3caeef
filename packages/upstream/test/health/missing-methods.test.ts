import { expect, it } from 'vitest'
import { createMissingMethods } from '../../src/health/missing-methods.ts'

it('remembers a missing method for ten minutes, and the last 256 at most', () => {
  const missing = createMissingMethods()
  missing.add('trace_block', 0)
  expect(missing.has('trace_block', 599_999)).toBe(true)
  expect(missing.has('eth_call', 0)).toBe(false)
  expect(missing.has('trace_block', 600_000)).toBe(false)
  for (let i = 0; i < 1_000; i++) missing.add(`made_up${i}`, 0)
  const remembered = Array.from({ length: 1_000 }, (_, i) => missing.has(`made_up${i}`, 1))
  expect(remembered.filter(Boolean)).toHaveLength(256)
  expect(remembered.slice(-256).every(Boolean)).toBe(true)
})
