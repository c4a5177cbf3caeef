import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Mutation, mutatedSource, readMutations } from '../../src/run/mutation.ts'

const mutations = readMutations()

describe('the seeded bugs', () => {
  it('are eighteen at least', () => {
    expect(mutations.length).toBeGreaterThanOrEqual(18)
  })

  it.each(mutations.map((mutation) => [mutation.name, mutation] as const))('change one line: %s', (_name, mutation) => {
    const before = readFileSync(new URL(`../../../../${mutation.file}`, import.meta.url), 'utf8').split('\n')
    const now = mutatedSource(mutation).split('\n')
    expect(now).toHaveLength(before.length)
    expect(now.flatMap((line, i) => (line === before[i] ? [] : [line.trim()]))).toEqual([mutation.replacement])
    expect(mutation.harm).toMatch(/^[A-Z].*\.$/)
  })
})

it('a bug whose line is gone is an error that says where', () => {
  const [first] = mutations as readonly [Mutation]
  expect(() => mutatedSource({ ...first, line: 'no such line' })).toThrow(
    `mutations/${first.name}.json: its line is not in ${first.file}; write it as it stands there: "no such line"`,
  )
  expect(() => mutatedSource({ ...first, line: '}' })).toThrow(/stands \d+ times/)
})
