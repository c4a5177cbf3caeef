import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endingSignal, out, runProgram, report } from '@wayleave/bench/program'
import { type FoundPrograms, provideGeth } from '../two-nodes/nodes/geth-programs.ts'
import { runCallers } from './callers/run-callers.ts'
import { startClockNodes } from './chain/clock-nodes.ts'
import { startGethNodes } from './chain/geth-nodes.ts'
import type { StreamChain } from './chain/stream-chain.ts'
import { viemFilters } from './clients/filters.ts'
import { wordsOf } from './clients/stream-client.ts'
import { type CommandLine, parseCommandLine, type Part, usage } from './command-line.ts'
import { otherClients, ownClients, web3Filters } from './find-clients.ts'
import { barsOf, isWhole, printCallers, printFigures, titleOf } from './report.ts'
import { runClients } from './run-clients.ts'
import { runFilters } from './run-filters.ts'
import { runResume } from './run-resume.ts'

/* Follows heads and logs through a gateway whose nodes are hurt. Exits with 0 if all bars hold, 1 if one does not, 2 on wrong use. */

/** The result of one part. */
interface Outcome {
  readonly lines: readonly string[]
  readonly value: unknown
  readonly holds: boolean
}

interface Setting {
  readonly line: CommandLine
  /** Makes a folder for one part. */
  readonly folder: () => Promise<string>
  readonly programs: FoundPrograms
  readonly skip: (why: string) => void
  readonly signal: AbortSignal
}

const logsPerBlock = 100
const gethBlockMs = 3_000
/** A geth takes this much longer to come back, so it is hurt that much more rarely. */
const gethEvery = 3
/** Time for the nodes and the gateway to start, in ms. */
const burstAfterMs = 30_000
const resumeLogsPerBlock = 10

async function clients({ line, folder, programs, skip, signal }: Setting): Promise<readonly Outcome[]> {
  const { minutes, every, verify, nodes, blockMs } = line
  const all = [...ownClients, ...otherClients(line.python, programs, skip)]
  const chains: (readonly [every: number, start: (at: string) => Promise<StreamChain>])[] = []
  if (nodes !== 'geth') chains.push([every, (at) => startClockNodes({ folder: at, blockMs, logsPerBlock })])
  if (nodes !== 'simulated') {
    if ('missing' in programs) skip(`geth: ${programs.missing}`)
    else {
      const { geth } = programs
      chains.push([every * gethEvery, (at) => startGethNodes({ geth, folder: at, blockMs: gethBlockMs })])
    }
  }
  const outcomes: Outcome[] = []
  for (const [everySeconds, start] of chains) {
    const at = await folder()
    await using chain = await start(at)
    const times = { lengthMs: minutes * 60_000, everyMs: everySeconds * 1_000 }
    const result = await runClients({ chain, clients: all, ...times, verify, folder: at, signal, report })
    const lines = printFigures(titleOf(result), result.figures)
    outcomes.push({ lines, value: result, holds: result.figures.every(isWhole) })
  }
  return outcomes
}

async function callers({ line, folder }: Setting): Promise<readonly Outcome[]> {
  const { callers: count, blocks, verify, blockMs } = line
  await using chain = await startClockNodes({ folder: await folder(), blockMs, logsPerBlock })
  const result = await runCallers({ chain, callers: count, blocks, verify, report })
  const bars = barsOf(result, verify)
  return [{ lines: printCallers(result, bars), value: { result, bars }, holds: bars.every(({ holds }) => holds) }]
}

async function filters({ line, folder, skip, signal }: Setting): Promise<readonly Outcome[]> {
  const { minutes, every, verify, blockMs, python } = line
  const at = await folder()
  await using chain = await startClockNodes({ folder: at, blockMs, logsPerBlock })
  const viem = viemFilters((hash) => {
    chain.chain.block(chain.height())
    return chain.chain.numberOf(hash)
  })
  const web3 = web3Filters(python, skip)
  const all = [
    { name: 'viem', hasHeads: true, open: viem },
    ...(web3 === undefined ? [] : [{ name: 'web3.py', hasHeads: false, open: web3 }]),
  ]
  const times = { lengthMs: minutes * 30_000, everyMs: every * 1_000 }
  const figures = await runFilters({ chain, clients: all, ...times, verify, folder: at, signal, report })
  const lines = printFigures('filters over HTTP, nodes killed and paused, the gateway restarted once', figures)
  return [{ lines, value: figures, holds: figures.every(isWhole) }]
}

async function resume({ line, folder }: Setting): Promise<readonly Outcome[]> {
  const { missed, verify, blockMs } = line
  const at = await folder()
  const burstAt = Date.now() + burstAfterMs
  await using chain = await startClockNodes({
    folder: at,
    blockMs,
    logsPerBlock: resumeLogsPerBlock,
    burst: { at: burstAt, blocks: missed },
  })
  const figures = await runResume({ chain, burstAt, verify, folder: at, report })
  const title = `a WebSocket that goes on with fromHash after ${missed} blocks and a restart of the gateway`
  return [{ lines: printFigures(title, [figures]), value: figures, holds: isWhole(figures) }]
}

const runs: Readonly<Record<Part, (setting: Setting) => Promise<readonly Outcome[]>>> = {
  clients,
  callers,
  filters,
  resume,
}

async function main(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(args)
  const skipped = new Set<string>()
  const skip = (why: string): void => {
    if (!skipped.has(why)) report(`not run: ${why}`)
    skipped.add(why)
  }
  const signal = endingSignal()
  // ethers leaves some promises of a lost connection to nobody.
  process.on('unhandledRejection', (why) => report(`a client left a rejection: ${wordsOf(why)}`))
  const needsGeth = line.only.includes('clients')
  const programs = needsGeth ? await provideGeth(line.geth, report) : { missing: 'not looked for' }
  const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'wayleave-streams-'))
  const setting = { line, folder, programs, skip, signal }
  const outcomes: Outcome[] = []
  for (const part of line.only) {
    for (const outcome of await runs[part](setting)) {
      outcomes.push(outcome)
      if (!line.json) for (const text of [`## ${part}`, '', ...outcome.lines, '']) out(text)
    }
  }
  if (line.json) out(JSON.stringify({ outcomes: outcomes.map(({ value }) => value), skipped: [...skipped] }))
  return outcomes.every(({ holds }) => holds) ? 0 : 1
}

await runProgram(usage, main)
