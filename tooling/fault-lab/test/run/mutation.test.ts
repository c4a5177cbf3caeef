import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Mutation, mutatedSource, readMutations } from '../../src/run/mutation.ts'

const mutations = readMutations()

/** The part of the product that a file is of. */
function placeOf(file: string): string {
  if (file.startsWith('packages/upstream/')) return 'pool'
  if (/^packages\/rpc-cache\/|\/cache\/|evm-cache/.test(file)) return 'cache'
  return /^packages\/evm-events\/|\/streams\/|check-logs/.test(file) ? 'streams' : 'network'
}

describe('the seeded bugs', () => {
  it('are fifteen at least in the pool itself, and as many beside it', () => {
    const ofPool = mutations.filter(({ file }) => placeOf(file) === 'pool')
    expect(ofPool.length).toBeGreaterThanOrEqual(15)
    expect(mutations.length - ofPool.length).toBeGreaterThanOrEqual(15)
  })

  it('stand in the table of the results, each with the part of the product that it is in', () => {
    const reported = readFileSync(new URL('../../../../docs/results/fault-lab.md', import.meta.url), 'utf8')
    const rows = [...reported.matchAll(/^\| `([a-z-]+)` \| (\w+) \|/gm)].map(([, name, place]) => [name, place])
    const all = mutations.map(({ name, file }) => [name, placeOf(file)])
    expect(rows.toSorted()).toEqual(all.toSorted())
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
