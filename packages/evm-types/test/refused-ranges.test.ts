import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { classifyNodeError, type NodeError, nodeWordings, rangeLimitOf, rangeWordings } from '../src/index.ts'

const { cases } = JSON.parse(readFileSync(new URL('./vectors/refused-ranges.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly { readonly service: string; readonly error?: NodeError }[]
}

/** Kinds of errors that fewer blocks may mend. */
const mendable = new Set(['range_too_large', 'response_too_large', 'limit_exceeded', 'timeout', 'unavailable'])

test('words that refuse a range are known as such, and the limit in them is read: 50 of 50', () => {
  const odd = cases.filter(({ error }) => error !== undefined && !mendable.has(classifyNodeError(error)))
  expect(odd).toEqual([])
  // A limit that they name is 100 blocks.
  const limits = cases.flatMap(({ service, error }) => {
    const most = error && rangeLimitOf(error).most
    return most === undefined ? [] : [{ service, most }]
  })
  expect(limits.filter(({ most }) => most !== (limits.length > 0 ? 100 : 0) && most !== 1_000)).toEqual([])
  expect(limits.length).toBeGreaterThan(25)
  expect(cases).toHaveLength(50)
})

test('the words of ranges are one list: each row of limits is one of errors', () => {
  for (const row of rangeWordings) expect(nodeWordings).toContain(row)
})
