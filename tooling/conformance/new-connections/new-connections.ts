import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devAccounts } from '@wayleave/dev-node'
import { endingSignal, flag, out, readOptions, runProgram, report, text, wholeOf } from '@wayleave/bench/program'
import { startStandIns } from '../two-nodes/nodes/stand-in-chain.ts'
import { judgeNewConnections } from './judge.ts'
import { runNewConnections } from './run.ts'

/* Asks workers by a new connection for each call. Exits with 0 if nothing goes back, 1 if something does, 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance new-connections [options]

  --calls N      calls, each on a connection of its own (100000)
  --workers N    processes that serve (2)
  --callers N    callers who wait for each answer, ${devAccounts.length} at most (${devAccounts.length})
  --block-ms N   time between blocks, in ms (250)
  --json         one JSON object, for programs
`

async function main(args: readonly string[]): Promise<number> {
  const line = readOptions(args, {
    calls: text('100000'),
    workers: text('2'),
    callers: text(String(devAccounts.length)),
    'block-ms': text('250'),
    json: flag,
  })
  const calls = wholeOf('calls', line.calls, 1, 100_000_000)
  const workers = wholeOf('workers', line.workers, 1, 64)
  const callers = wholeOf('callers', line.callers, 1, devAccounts.length)
  const blockMs = wholeOf('block-ms', line['block-ms'], 1, 60_000)
  const signal = endingSignal()
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-new-connections-'))
  report(`logs of the nodes: ${folder}`)
  await using chain = await startStandIns({ folder, blockMs, blocksBehind: 1 })
  const result = await runNewConnections({ chain, workers, calls, callers, signal, report })
  const broken = judgeNewConnections(result)
  if (line.json) out(JSON.stringify({ ...result, broken }))
  else {
    const { withoutGateway, cpuSeconds } = result
    out(
      `${result.calls} calls, ${result.sent} of them transactions, in ${result.seconds} s and ${result.blocks} blocks, ` +
        `by ${callers} callers to ${workers} workers (${cpuSeconds.map((cpu) => cpu.toFixed(1)).join(' and ')} s of CPU)`,
    )
    out(`heads that went back: ${result.headsBack} (bar 0)`)
    out(`nonces that went back: ${result.noncesBack} (bar 0)`)
    out(`failed calls: ${result.failed} (bar 0)`)
    out(`without a gateway, the nodes in turns: ${withoutGateway.headsBack} of ${withoutGateway.calls} heads went back`)
    for (const sentence of [...result.notes, ...result.failures]) out(`note: ${sentence}`)
    for (const sentence of broken) out(`broken: ${sentence}`)
    out(broken.length === 0 ? 'all bars hold' : 'not all bars hold')
  }
  return broken.length === 0 ? 0 : 1
}

await runProgram(usage, main)
