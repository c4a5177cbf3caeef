import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
// @boundaries-ignore Servers for tests are in no package.
import { missingRedis } from '../../../packages/stores/test/redis-server.ts'
import type { DeploymentName } from '../deployments/deployment.ts'
import { knownDifferences } from '../deployments/known-differences.ts'
import { runScript } from '../deployments/run.ts'
import { printEntries, readEntries } from '../deployments/transcript.ts'
import { missingPostgres } from './support/postgres-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
const recording = fileURLToPath(new URL('../deployments/recording.txt', import.meta.url))
/** The answers of one process in this run; undefined where it was not asked. */
let answered: ReadonlyMap<string, string> | undefined

/** The entries in which a deployment differs from one process. */
async function differences(name: DeploymentName): Promise<readonly string[]> {
  const expected = answered ?? readEntries(await readFile(recording, 'utf8'))
  const entries = await runScript(name)
  const different = [...new Set([...expected.keys(), ...entries.keys()])].filter(
    (entry) => entries.get(entry) !== expected.get(entry),
  )
  // The answers themselves, where nobody knows of the difference.
  for (const entry of different.filter((one) => !knownDifferences(name).includes(one)))
    expect.soft(entries.get(entry), entry).toBe(expected.get(entry))
  return different
}

// Workers share one address on Linux alone, where /proc tells which of them has a connection.
describe.skipIf(process.platform !== 'linux')('the same calls are answered alike', () => {
  it('by one process, byte for byte as they were recorded', { timeout: 120_000 }, async () => {
    answered = await runScript('one process')
    await expect(printEntries(answered)).toMatchFileSnapshot(recording)
  })

  it('by two workers, but for the differences that are known', { timeout: 120_000 }, async () => {
    expect((await differences('two workers')).toSorted()).toEqual(knownDifferences('two workers').toSorted())
  })

  it.skipIf(isOptional && (missingRedis() ?? missingPostgres()) !== undefined)(
    'by two replicas with Redis and PostgreSQL, but for the differences that are known',
    { timeout: 120_000 },
    async () => {
      expect((await differences('two replicas')).toSorted()).toEqual(knownDifferences('two replicas').toSorted())
    },
  )
})
