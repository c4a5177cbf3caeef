import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crashRounds } from '../src/ipfs-crash/crash-rounds.ts'
import { gatewayCrashRounds } from '../src/ipfs-crash/gateway-rounds.ts'

// The long form is a command: `pnpm --filter @wayleave/conformance ipfs-crash 200`.
test('what was acknowledged before a process was killed is whole afterwards, and nothing is left half written', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'wayleave-crash-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const { acknowledged, lost, leftovers } = await crashRounds({ dir, kills: 4, seed: 7 })
  expect(lost).toEqual([])
  expect(leftovers).toBe(0)
  expect(acknowledged).toBeGreaterThan(4)
}, 120_000)

test('a gateway that was killed tells and gives all that it had acknowledged, and has collected nothing of it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'wayleave-crash-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const { added, reads, lost, returned, leftovers } = await gatewayCrashRounds({ dir, kills: 3, seed: 7 })
  expect(lost).toEqual([])
  expect(returned).toEqual([])
  expect(leftovers).toBe(0)
  expect(added).toBeGreaterThan(3)
  expect(reads).toBeGreaterThan(3)
}, 120_000)
