import type { Uncle } from '@wayleave/evm-types'
import { anything, assert, property } from 'fast-check'
import { expect, test } from 'vitest'
import { type Verdict, verifyHeader, verifyUncle } from '../src/index.ts'
import { recordedAnswers } from './chain.ts'
import { expectMutationsRefused } from './mutations.ts'

// Five of the 23 questions are for uncles that are not there.
const uncles = recordedAnswers('eth_getUncleByBlockNumberAndIndex', 'derived-uncles.json')
  .map(({ result }) => result as Uncle | null)
  .filter((uncle) => uncle !== null)

test('18 uncles are proven by their hash, and consistent without', () => {
  for (const uncle of uncles) {
    expect(verifyUncle(uncle, { hash: uncle.hash!, number: uncle.number! })).toMatchObject({
      ok: true,
      level: 'proven',
    })
    expect(verifyUncle(uncle)).toMatchObject({ ok: true, level: 'consistent', fields: { uncles: 'unverifiable' } })
  }
  expect(uncles).toHaveLength(18)
})

test('each change of an uncle is refused', () => {
  const uncle = uncles[0]!
  const verify = (changed: unknown): Verdict => verifyUncle(changed, { hash: uncle.hash! })
  expect(expectMutationsRefused(uncle, verify, { mayLack: ['size'] })).toBeGreaterThan(100)
  expect(verifyUncle(uncle, { number: '0x7' })).toMatchObject({ ok: false, field: 'number' })
})

test('of a header, the size is not judged: nodes do not agree on it', () => {
  const header = { ...uncles[0]!, size: '0x1' }
  expect(verifyUncle(header)).toMatchObject({ ok: false, field: 'size' })
  expect(verifyHeader(header, { hash: header.hash! })).toMatchObject({
    ok: true,
    level: 'proven',
    fields: { size: 'unverifiable', stateRoot: 'proven' },
  })
})

test('any value gets a verdict, and none is right', () => {
  assert(property(anything(), (value) => verifyUncle(value).ok === false))
})
