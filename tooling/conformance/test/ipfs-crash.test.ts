import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crashRounds } from '../src/ipfs-crash/crash-rounds.ts'

// The long form is a command: `pnpm --filter @wayleave/conformance ipfs-crash 200`.
test('what was acknowledged before a process was killed is whole afterwards, and nothing is left half written', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'wayleave-crash-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const { acknowledged, lost, leftovers } = await crashRounds({ dir, kills: 10, seed: 7 })
  expect(lost).toEqual([])
  expect(leftovers).toBe(0)
  expect(acknowledged).toBeGreaterThan(10)
}, 60_000)
