// The lines that a newcomer sees are those of docs/first-hour.md.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runActs } from '../first-hour/run-acts.ts'
import { actsOf, matches } from '../first-hour/transcript.ts'

const acts = actsOf(readFileSync(new URL('../../../docs/first-hour.md', import.meta.url), 'utf8'))

/** What a newcomer is told of: each is typed right and wrong. */
const reported = [
  'dev',
  'serve',
  'serve --upstream',
  'serve --config',
  'config',
  'config init',
  'config check',
  'config import',
  'completion',
  'reload',
  'keys create',
  'block',
  'tx',
  'receipt',
  'balance',
  'nonce',
  'code',
  'send',
  'eth',
  'rpc',
  'gas',
  'watch',
  'verify',
  'storage-slot',
  'rollup',
  'starknet',
  'starknet subscribe',
  'ipfs add',
  'ipfs cat',
  'doctor',
  'explain',
  'backup',
  'restore',
]

it.each(reported)('the first hour has an act of wayleave %s that goes well, and one that does not', (name) => {
  const own = acts.filter(({ command }) => new RegExp(`(?:^|[ (])wayleave ${name}(?: |$)`).test(command))
  const ends = own.map(({ lines }) => lines.at(-1)?.startsWith('exit code') === true)
  expect(new Set(ends)).toEqual(new Set([true, false]))
})

it('the acts of the first hour end as its transcript says', { timeout: 1_200_000 }, async ({ signal }) => {
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
