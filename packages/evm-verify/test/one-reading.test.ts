import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertOneReading } from '../src/one-reading.ts'

const check = (text: string): void => assertOneReading(text, JSON.parse(text))

test('whatever JSON.stringify prints has one reading, spaces or not', () => {
  const value = fc.jsonValue({ maxDepth: 4 }).filter((one) => !hasLikeNames(one))
  fc.assert(
    fc.property(value, fc.constantFrom('', ' ', '\t'), (one, space) => {
      check(JSON.stringify(one, undefined, space))
    }),
  )
})

test.each([
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":1}',
  '[{"b":{"a":":","a":"\\":\\\\"}}]',
  '{"a" : {"c":1} , "b":2, "a" : 3}',
  '{"value":1,"Value":1}',
])('%s has two', (text) => {
  expect(() => check(text)).toThrow(/twice/)
})

test.each(['{"a:b":"c:d\\":","b":[":",{"a":1}]}', '"a:b"', '7', '[]'])('%s has one', (text) => {
  expect(() => check(text)).not.toThrow()
})

test.each(['{"__proto__":{"a":1}}', '[{"b":{"\\u005f_proto__":null}}]'])('%s changes what it is copied to', (text) => {
  expect(() => check(text)).toThrow('__proto__')
})

test('a text may nest deeper than calls can', () => {
  const deep = 200_000
  check('['.repeat(deep) + ']'.repeat(deep))
  expect(() => check(`${'{"a":'.repeat(deep)}{"a":1,"a":1}${'}'.repeat(deep)}`)).toThrow(/twice/)
})

function hasLikeNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const names = Object.keys(value).map((name) => name.toLowerCase())
  return names.includes('__proto__') || new Set(names).size < names.length || Object.values(value).some(hasLikeNames)
}
