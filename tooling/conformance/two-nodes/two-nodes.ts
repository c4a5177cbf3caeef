import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { choiceOf, endingSignal, out, runProgram, report } from '@wayleave/bench/program'
import { pipedClient } from './clients/piped-client.ts'
import { type CommandLine, parseCommandLine, usage } from './command-line.ts'
import type { TestChain } from './nodes/chain.ts'
import { startGethChain } from './nodes/geth-chain.ts'
import { type GethPrograms, provideGeth } from './nodes/geth-programs.ts'
import { startStandIns } from './nodes/stand-in-chain.ts'
import { providePonder } from './ponder/ponder-project.ts'
import { printRun } from './report.ts'
import { type OpenClient, ownClients, runFolder, runTwoNodes } from './run.ts'

/* Hurts one of two nodes behind a gateway while clients call. Exits with 0 if all bars hold, 1 if not, 2 on wrong use. */

const web3Program = fileURLToPath(new URL('clients/web3_client.py', import.meta.url))

/** Names of clients in the order in which {@link ownClients} has them, then those that need other programs. */
const names = ['viem', 'ethers-ws', 'ethers-http', 'json-rpc', 'ethclient', 'web3.py']

/** The clients that can run here, by name; tells `skip` which cannot. */
function clientsOf({ only, python }: CommandLine, programs: GethPrograms | undefined, skip: (why: string) => void) {
  for (const name of only) choiceOf('only', name, names)
  const clients = new Map<string, OpenClient>(ownClients.map((open, i) => [names[i]!, open]))
  if (programs === undefined) skip('ethclient: it is built together with geth, which is not here')
  else clients.set('ethclient', (target) => pipedClient('ethclient', [programs.ethclient], target))
  if (spawnSync(python, ['-c', 'import web3']).status === 0) {
    clients.set('web3.py', (target) => pipedClient('web3.py', [python, web3Program], target))
  } else skip(`web3.py: ${python} has it not; pip install web3, and --python names another one`)
  return [...clients].filter(([name]) => only.length === 0 || only.includes(name)).map(([, open]) => open)
}

/** The folder of Ponder's packages; tells `skip` why there is none. */
async function ponderOf(skip: (why: string) => void): Promise<string | undefined> {
  const folder = join(tmpdir(), 'wayleave-ponder')
  const missing = await providePonder(folder, report)
  if (missing === undefined) return folder
  skip(`Ponder: ${missing}`)
  return undefined
}

async function main(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(args)
  const skipped: string[] = []
  const skip = (why: string): void => {
    skipped.push(why)
    report(`not run: ${why}`)
  }
  const found = line.nodes === 'stand-in' ? undefined : await provideGeth(line.geth, report)
  if (found !== undefined && 'missing' in found) skip(`geth: ${found.missing}`)
  const programs = found === undefined || 'missing' in found ? undefined : found
  if (programs === undefined && line.nodes === 'geth') return 1
  const clients = clientsOf(line, programs, skip)
  const ponder = line.ponder ? await ponderOf(skip) : undefined
  if (!line.ponder) skip('Ponder: only with --ponder')

  const signal = endingSignal()
  const folder = await runFolder()
  report(`logs of the nodes and of the gateway: ${folder}`)
  await using chain: TestChain =
    programs === undefined
      ? await startStandIns({ folder, blockMs: line.blockMs ?? 1_000 })
      : await startGethChain({ geth: programs.geth, folder, blockMs: line.blockMs ?? 3_000 })
  const { rounds, verify } = line
  const result = await runTwoNodes({ chain, clients, rounds, verify, ponder, folder, signal, report })
  if (line.json) out(JSON.stringify({ ...result, skipped, folder }))
  else for (const text of printRun(result, line.notes)) out(text)
  return result.broken.length === 0 ? 0 : 1
}

await runProgram(usage, main)
