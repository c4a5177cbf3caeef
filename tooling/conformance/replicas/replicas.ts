import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endingSignal, out, runProgram, report } from '@wayleave/bench/program'
// @boundaries-ignore Servers for tests are in no package; those of the stores end with their process.
import { missingRedis, startRedis } from '../../../packages/stores/test/redis-server.ts'
import type { TestChain } from '../two-nodes/nodes/chain.ts'
import { startGethChain } from '../two-nodes/nodes/geth-chain.ts'
import { provideGeth } from '../two-nodes/nodes/geth-programs.ts'
import { startStandIns } from '../two-nodes/nodes/stand-in-chain.ts'
import { providePonder } from '../two-nodes/ponder/ponder-project.ts'
import { ownClients, runFolder } from '../two-nodes/run.ts'
import { parseCommandLine, usage } from './command-line.ts'
import { printRun } from './report.ts'
import { runReplicas } from './run.ts'

/* Kills three replicas in turn while clients call. Exits with 0 if all bars hold, 1 if not or if it cannot run, 2 on wrong use. */

async function main(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(args)
  const noRedis = missingRedis()
  if (noRedis !== undefined) {
    report(`not run: ${noRedis}`)
    return 1
  }
  const found = line.nodes === 'stand-in' ? undefined : await provideGeth(line.geth, report)
  if (found !== undefined && 'missing' in found) report(`not run: geth: ${found.missing}`)
  const programs = found === undefined || 'missing' in found ? undefined : found
  if (programs === undefined && line.nodes === 'geth') return 1
  const packages = join(tmpdir(), 'wayleave-ponder')
  const noPonder = line.ponder ? await providePonder(packages, report) : 'only with --ponder'
  if (noPonder !== undefined) report(`not run: Ponder: ${noPonder}`)

  const signal = endingSignal()
  const folder = await runFolder()
  report(`logs of the nodes and of the gateways: ${folder}`)
  await using redis = await startRedis()
  await using chain: TestChain =
    programs === undefined
      ? await startStandIns({ folder, blockMs: 1_000 })
      : await startGethChain({ geth: programs.geth, folder, blockMs: 3_000 })
  const result = await runReplicas({
    chain,
    redis: redis.url,
    clients: ownClients,
    rounds: line.rounds,
    pauses: { settleMs: 5_000, downMs: 6_000 },
    ponder: noPonder === undefined ? packages : undefined,
    folder,
    signal,
    report,
  })
  if (line.json) out(JSON.stringify(result))
  else for (const text of printRun(result)) out(text)
  return result.broken.length === 0 ? 0 : 1
}

await runProgram(usage, main)
