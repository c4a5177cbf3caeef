import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { judgeNewConnections } from '../new-connections/judge.ts'
import { runNewConnections } from '../new-connections/run.ts'
import { startStandIns } from '../two-nodes/nodes/stand-in-chain.ts'

// 100,000 calls are a command: `pnpm --filter @wayleave/conformance new-connections`.

it(
  'no head and no nonce goes back for callers whose every call meets another worker',
  { timeout: 180_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'new-connections-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await using chain = await startStandIns({ folder, blockMs: 250, blocksBehind: 1 })
    const result = await runNewConnections({
      chain,
      workers: 2,
      calls: 3_000,
      callers: 6,
      signal: AbortSignal.timeout(150_000),
      report() {},
    })
    expect(result.notes).toEqual([])
    expect(result.failures).toEqual([])
    expect(judgeNewConnections(result)).toEqual([])
    expect(result.blocks).toBeGreaterThan(3)
  },
)

it('names each bar that does not hold', () => {
  const result = {
    calls: 10,
    seconds: 1,
    blocks: 2,
    sent: 0,
    failed: 3,
    failures: [],
    headsBack: 1,
    noncesBack: 2,
    notes: [],
    cpuSeconds: [3, 0.5],
    withoutGateway: { calls: 10, headsBack: 0 },
  }
  expect(judgeNewConnections(result)).toEqual([
    '1 heads went back',
    '2 nonces went back',
    '3 calls failed',
    'no transaction was sent, so that nonces were not tried',
    'one worker served less than half of its part',
    'the nodes were never at different heights, so that nothing was tried',
  ])
})
