// The lines that a newcomer sees are those of docs/first-hour.md.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runActs } from '../first-hour/run-acts.ts'
import { actsOf, matches } from '../first-hour/transcript.ts'

const acts = actsOf(readFileSync(new URL('../../../docs/first-hour.md', import.meta.url), 'utf8'))

it('the acts of the first hour end as its transcript says', { timeout: 600_000 }, async ({ signal }) => {
  expect(acts.length).toBeGreaterThanOrEqual(60)
  const wrong: object[] = []
  let nth = 0
  for await (const lines of runActs(acts, signal)) {
    const { command, lines: expected } = acts[nth++]!
    if (!matches(expected, lines)) wrong.push({ command, expected, lines })
  }
  expect(nth).toBe(acts.length)
  expect(wrong).toEqual([])
})

it('a transcript matches what it leaves open, and nothing else', () => {
  expect(matches(['a … c', '…', 'end'], ['a b c', 'x', 'y', 'end'])).toBe(true)
  expect(matches(['a … c', '…', 'end'], ['a b c', 'end'])).toBe(true)
  expect(matches(['a'], ['a', 'b'])).toBe(false)
  expect(matches(['a.c'], ['abc'])).toBe(false)
})
