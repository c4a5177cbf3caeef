import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownClients } from '@wayleave/conformance/two-nodes/run'
import { expect, it, onTestFinished } from 'vitest'
import { startAnvilChain } from '../../live/nodes/anvil-chain.ts'
import { printLive } from '../../live/report.ts'
import { runLive } from '../../live/run.ts'
import { drawSchedule } from '../../live/schedule.ts'

// Longer runs, and geth, are a command: `pnpm fault-lab --live --nodes geth`.

it('clients are told the truth while anvils are killed and paused', { timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fault-lab-live-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [seed, lengthMs, everyMs] = [7, 24_000, 4_000]
  const schedule = drawSchedule({ seed, nodes: 3, lengthMs, everyMs })
  expect(new Set(schedule.map(({ kind }) => kind)).size).toBe(2)
  const run = () =>
    runLive({
      startChain: () => startAnvilChain({ folder, blockMs: 500 }),
      clients: ownClients,
      seed,
      schedule,
      lengthMs,
      everyMs,
      verify: 'off',
      broadcast: 1,
      folder,
      signal: AbortSignal.timeout(220_000),
      report: () => {},
    })
  let result = await run()
  for (let left = 2; left > 0 && result.forks > 0; left--) result = await run()
  // How long a read takes says more about the machine.
  const wrong = result.violations.filter((sentence) => !/: a read took /.test(sentence))
  expect(wrong, printLive(result, 'this test', 500).join('\n')).toEqual([])
  expect(result.hurts).toMatchObject({ kills: expect.any(Number), pauses: expect.any(Number) })
  expect(result.hurts!.kills + result.hurts!.pauses).toBeGreaterThan(1)
  expect(result.clients.map(({ client }) => client)).toEqual(['viem', 'ethers-ws', 'ethers-http', 'json-rpc'])
  for (const { reads, announced, sent } of result.clients) {
    expect(reads).toBeGreaterThan(20)
    expect(announced).toBeGreaterThan(3)
    expect(sent).toBeGreaterThan(0)
  }
  for (const { sent, receipts } of result.writers) {
    expect(sent).toBeGreaterThan(0)
    expect(receipts).toBe(sent)
  }
  expect(result.settlement!.compared).toBeGreaterThan(20)
})
