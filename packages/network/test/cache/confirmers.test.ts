import type { Candidate } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { absent, confirmersAmong } from '../../src/cache/confirmers.ts'

const candidate = (name: string, further: Partial<Candidate> = {}): Candidate =>
  ({
    endpoint: { name },
    node: name,
    tier: 'primary',
    groups: new Set(['all']),
    spend: undefined,
    ...further,
  }) as Candidate

it.each<[title: string, other: Partial<Candidate>]>([
  ['the same node under another name', { node: 'giver' }],
  ['a fallback', { tier: 'fallback' }],
  ['one of a budget', { spend: {} as never }],
  ['one of other groups', { groups: new Set(['gold']) }],
])('%s confirms no answer, and an upstream beside it alone is believed', (_, other) => {
  const find = confirmersAmong([candidate('giver'), candidate('other', other)], () => true)
  expect(find('giver', ['all'])).toBe(absent)
})

it('another upstream that stands with the chain confirms an answer', () => {
  const find = confirmersAmong(
    ['giver', 'behind', 'good'].map((name) => candidate(name)),
    (name) => name !== 'behind',
  )
  expect([find('giver', undefined), find('good', ['all'])]).toEqual(['good', 'giver'])
})

it('nobody confirms an answer while the others are away, nor one of an upstream that is gone', () => {
  const find = confirmersAmong(
    ['giver', 'other'].map((name) => candidate(name)),
    () => false,
  )
  expect([find('giver', undefined), find('gone', undefined)]).toEqual([undefined, undefined])
})
