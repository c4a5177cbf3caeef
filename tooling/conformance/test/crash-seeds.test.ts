import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@wayleave/bench/program'
import { afterEach, beforeEach, expect, it } from 'vitest'
// @boundaries-ignore Servers for tests are in no package.
import { missingPostgres, startPostgres } from '../../../packages/stores/test/postgres-server.ts'
import { parseCommandLine } from '../crash-seeds/command-line.ts'
import { createRandom } from '../crash-seeds/random.ts'
import { printSeeds, runSeeds } from '../crash-seeds/run-seeds.ts'

// The long form is a command: `pnpm --filter @wayleave/conformance crash-seeds --seeds 1000`.

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crash-seeds-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('usage is counted once, and none that was flushed is lost, wherever its process is killed: 20 seeds', async () => {
  const result = await runSeeds({ from: 1, seeds: 20, postgres: undefined, atOnce: 2, folder })
  expect(result.wrong).toEqual([])
  expect(result.kills).toBeGreaterThan(15)
  // The moment between a commit and its acknowledgement is among them.
  expect(result.ends.get('after add')).toBeGreaterThan(0)
  expect(result.ends.get('amid append')).toBeGreaterThan(0)
  expect(result.counted - result.lost).toBeGreaterThan(1_000)
}, 240_000)

it.skipIf(isOptional && missingPostgres() !== undefined)(
  'likewise on PostgreSQL, killed from outside',
  async () => {
    await using server = await startPostgres()
    const postgres = await server.createDatabase('usage')
    const result = await runSeeds({ from: 1, seeds: 5, postgres, atOnce: 2, folder })
    expect(result.wrong).toEqual([])
    expect(result.ends.get('killed')).toBeGreaterThan(1)
    expect(result.counted - result.lost).toBeGreaterThan(1_000)
  },
  120_000,
)

it('a seed draws the same numbers again, and another one others', () => {
  const draw = (seed: number): readonly number[] => {
    const random = createRandom(seed)
    return Array.from({ length: 8 }, () => random.int(1_000))
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
})

it('the command line has usual numbers, and refuses others in words', () => {
  expect(parseCommandLine(['--', '--seeds', '40'])).toEqual({ seeds: 40, postgres: 2, from: 1, atOnce: 2 })
  expect(() => parseCommandLine(['--seeds', 'all'])).toThrow(
    new UsageError('--seeds takes a whole number of at least 0, not all'),
  )
  expect(() => parseCommandLine(['--sed', '1'])).toThrow(UsageError)
})

it('violations are printed with their seeds', () => {
  const wrong = [{ seed: 9, sentence: '5 calls of key 0-1 are stored, of 4 that were counted' }]
  const ends = new Map([['after add', 2]])
  expect(printSeeds('sqlite', { seeds: 1, kills: 2, counted: 4, lost: 0, ends, wrong })).toContain(
    '1 violations\n  ends: after add 2\n  seed 9: 5 calls',
  )
})
