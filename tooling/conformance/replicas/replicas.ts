import { tmpdir } from 'node:os'
import { join } from 'node:path'
// @boundaries-ignore Servers for tests are in no package; those of the stores end with their process.
import { missingRedis, startRedis } from '../../../packages/stores/test/redis-server.ts'
import type { TestChain } from '../two-nodes/nodes/chain.ts'
import { startGethChain } from '../two-nodes/nodes/geth-chain.ts'
import { provideGeth } from '../two-nodes/nodes/geth-programs.ts'
import { startStandIns } from '../two-nodes/nodes/stand-in-chain.ts'
import { providePonder } from '../two-nodes/ponder/ponder-project.ts'
import { ownClients, runFolder } from '../two-nodes/run.ts'
import { parseCommandLine, usage, UsageError } from './command-line.ts'
import { printRun } from './report.ts'
import { runReplicas } from './run.ts'

/* Kills three replicas in turn while clients call. Exits with 0 if all bars hold, 1 if not or if it cannot run, 2 on wrong use. */

const out = (line: string): void => void process.stdout.write(`${line}\n`)
const tell = (line: string): void => void process.stderr.write(`${line}\n`)

async function main(): Promise<number> {
  const line = parseCommandLine(process.argv.slice(2))
  if (line.help) {
    out(usage)
    return 0
  }
  const noRedis = missingRedis()
  if (noRedis !== undefined) {
    tell(`not run: ${noRedis}`)
    return 1
  }
  const found = line.nodes === 'stand-in' ? undefined : await provideGeth(line.gethFolder, tell)
  if (found !== undefined && 'missing' in found) tell(`not run: geth: ${found.missing}`)
  const programs = found === undefined || 'missing' in found ? undefined : found
  if (programs === undefined && line.nodes === 'geth') return 1
  const packages = join(tmpdir(), 'wayleave-ponder')
  const noPonder = line.ponder ? await providePonder(packages, tell) : 'only with --ponder'
  if (noPonder !== undefined) tell(`not run: Ponder: ${noPonder}`)

  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)))
  }
  const folder = await runFolder()
  tell(`logs of the nodes and of the gateways: ${folder}`)
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
    signal: ending.signal,
    tell,
  })
  if (line.json) out(JSON.stringify(result))
  else for (const text of printRun(result)) out(text)
  return result.broken.length === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown
  tell(thrown.message)
  process.exitCode = 2
}
