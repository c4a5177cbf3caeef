import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endingSignal, out, runProgram, report } from '@wayleave/bench/program'
import { pipedClient } from '@wayleave/conformance/two-nodes/clients/piped-client'
import { type OpenClient, ownClients } from '@wayleave/conformance/two-nodes/run'
import { type CommandLine, parseCommandLine, usage } from './command-line.ts'
import { startAnvilChain } from './nodes/anvil-chain.ts'
import { findBuilt, startLiveGeths } from './nodes/geth-chain.ts'
import type { LiveChain } from './nodes/live-chain.ts'
import { printLive } from './report.ts'
import { runLive } from './run.ts'
import { drawSchedule } from './schedule.ts'

/* Hurts real nodes behind a gateway while stock clients call. Exits with 0 if all invariants hold, 1 if not, 2 on wrong use. */

const web3Program = fileURLToPath(import.meta.resolve('@wayleave/conformance/two-nodes/web3_client.py'))

/** The clients that can run here; tells `skip` which cannot. */
function clientsOf(skip: (why: string) => void): readonly OpenClient[] {
  const clients = [...ownClients]
  const ethclient = findBuilt('two-nodes-ethclient', 'ETHCLIENT')
  if (ethclient === undefined) skip('ethclient: the rig of two nodes has not built it')
  else clients.push((target) => pipedClient('ethclient', [ethclient], target))
  const python = process.env['WEB3PY']
  if (python === undefined) skip('web3.py: WEB3PY names no Python that has it')
  else if (spawnSync(python, ['-c', 'import web3']).status !== 0)
    skip(`web3.py: ${python} has it not; pip install web3`)
  else clients.push((target) => pipedClient('web3.py', [python, web3Program], target))
  return clients
}

/** How to start the nodes, and how many there are; undefined where they are not at hand. */
function nodesOf(
  { nodes }: CommandLine,
  folder: string,
): readonly [count: number, start: () => Promise<LiveChain>] | undefined {
  if (nodes === 'anvil') return [3, () => startAnvilChain({ folder, blockMs: 1_000 })]
  const geth = findBuilt('geth', 'GETH')
  return geth === undefined ? undefined : [2, () => startLiveGeths({ geth, folder, blockMs: 3_000 })]
}

async function main(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(args, () => randomInt(2 ** 31))
  const skipped: string[] = []
  const skip = (why: string): void => {
    skipped.push(why)
    report(`not run: ${why}`)
  }
  const parent = join(tmpdir(), 'wayleave-fault-lab')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'live-'))
  const nodes = nodesOf(line, folder)
  if (nodes === undefined) {
    skip('geth: neither GETH, nor the folder in which the rig of two nodes builds it, nor the PATH has one')
    return 0
  }
  const { seed, lengthMs, everyMs, verify, broadcast } = line
  const clients = clientsOf(skip)
  const signal = endingSignal()
  report(`seed ${seed}; logs of the nodes and of the gateway: ${folder}`)
  const [count, startChain] = nodes
  const schedule = drawSchedule({ seed, nodes: count, lengthMs, everyMs })
  const settings = { seed, schedule, lengthMs, everyMs, verify, broadcast }
  const result = await runLive({ ...settings, startChain, clients, folder, signal, report })
  const replay =
    `pnpm fault-lab --live --nodes ${line.nodes} --seed ${seed} --minutes ${lengthMs / 60_000} --every ${everyMs / 1_000} ` +
    `--verify ${verify} --broadcast ${broadcast}`
  if (line.json) out(JSON.stringify({ ...result, skipped, folder, replay }))
  else for (const text of printLive(result, replay, line.events)) out(text)
  return result.violations.length === 0 && result.hurts !== undefined ? 0 : 1
}

await runProgram(usage, main)
// All that was opened is closed by then; only a library could hold the process.
setTimeout(() => {
  report(`still open after the run: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit()
}, 5_000).unref()
