import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { devAccounts } from '@wayleave/dev-node'
import type { ClientTarget, RigClient } from './clients/client.ts'
import { ethersHttpClient, ethersSocketClient } from './clients/ethers.ts'
import { exercise } from './clients/exercise.ts'
import { jsonRpcClient } from './clients/json-rpc.ts'
import { viemClient } from './clients/viem.ts'
import { startGateway } from './gateway.ts'
import { judge, longestStallMs } from './measure/bars.ts'
import { createObserver, type Figures, type Note, type Reported } from './measure/observer.ts'
import type { TestChain } from './nodes/chain.ts'
import { startPonderRun } from './ponder/compare-ponders.ts'
import { caughtUp, hurtInTurns } from './rounds.ts'

/** Opens a client. The gateway is there when it is called. */
export type OpenClient = (target: ClientTarget) => Promise<RigClient>

/** The clients that need nothing but the packages of this one. */
export const ownClients: readonly OpenClient[] = [viemClient, ethersSocketClient, ethersHttpClient, jsonRpcClient]

export interface RunOptions {
  readonly chain: TestChain
  readonly clients: readonly OpenClient[]
  readonly rounds: number
  readonly verify: string
  /** A folder with the packages of Ponder, which then indexes through the gateway. */
  readonly ponder?: string | undefined
  /** A folder for the gateway's log. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly report: (line: string) => void
}

export interface RunResult {
  readonly software: string
  readonly rounds: number
  readonly seconds: number
  /** Blocks of the chain, and the longest time between two, in ms: what no gateway can better. */
  readonly blocks: number
  readonly longestGapMs: number
  /** The longest time that this process itself stood still, in ms: it is a part of what it measured. */
  readonly ownStallMs: number
  readonly figures: readonly Figures[]
  /** Of the two Ponders, for people; undefined without them. */
  readonly ponder: string | undefined
  readonly notes: readonly Note[]
  /** Sentences without a full stop; empty where all bars hold. */
  readonly broken: readonly string[]
}

/** Most notes that are kept. */
const mostNotes = 2_000

/** Makes a folder for the nodes and the logs of one run, which stays: the logs tell the causes. */
export async function runFolder(): Promise<string> {
  const parent = join(tmpdir(), 'wayleave-two-nodes')
  await mkdir(parent, { recursive: true })
  return mkdtemp(join(parent, 'run-'))
}

/** Hurts the nodes in turns while clients read and send through a gateway. */
export async function runTwoNodes(options: RunOptions): Promise<RunResult> {
  const { chain, rounds, verify, folder, signal, report } = options
  for (const node of chain.nodes) await caughtUp(chain, node, signal)
  await using gateway = await startGateway({ chain, verify, logFile: join(folder, 'gateway.log') })
  const ending = new AbortController()
  const reported: Reported = { head: 0 }
  const notes: Note[] = []
  let phase = 'before the first round'
  const beganAt = performance.now()
  const seconds = (): number => Math.round((performance.now() - beganAt) / 100) / 10
  const onNote = (client: string, sentence: string): void => {
    if (notes.length < mostNotes) notes.push({ second: seconds(), phase, client, sentence })
  }

  await using clients = new AsyncDisposableStack()
  const packages = options.ponder
  const { url } = gateway
  const ponder =
    packages === undefined ? undefined : clients.use(await startPonderRun({ chain, url, packages, folder, signal }))
  const runs: { readonly figures: () => Figures; readonly ended: Promise<void> }[] = []
  const own = monitorEventLoopDelay({ resolution: 10 })
  own.enable()
  for (const [i, open] of options.clients.entries()) {
    const account = devAccounts[i]!
    const client = clients.use(await open({ url: gateway.url, ws: gateway.ws, chainId: chain.chainId, account }))
    const observer = createObserver({ client: client.name, reported, onNote, noteStallMs: longestStallMs })
    runs.push({ figures: observer.figures, ended: exercise(client, observer, reported, ending.signal) })
  }
  const before = chain.progress().height
  let fault: string | undefined
  try {
    await hurtInTurns({
      chain,
      rounds,
      signal,
      onPhase(name) {
        phase = name
        report(`${seconds().toFixed(1).padStart(6)} s  block ${chain.progress().height}  ${name}`)
      },
    })
  } catch (thrown) {
    signal.throwIfAborted()
    fault = (thrown as Error).message
  }
  const figures = runs.map((run) => run.figures())
  ending.abort()
  await Promise.all(runs.map(({ ended }) => ended))
  own.disable()
  const indexed = await ponder?.compare()
  const { height, longestGapMs } = chain.progress()
  return {
    software: chain.software,
    rounds,
    seconds: seconds(),
    blocks: height - before,
    longestGapMs,
    ownStallMs: own.max / 1e6,
    figures,
    ponder: indexed?.reported,
    notes,
    broken: [
      ...(fault === undefined ? [] : [fault]),
      ...(gateway.alive() ? [] : ['the gateway ended']),
      ...figures.flatMap(judge),
      ...(indexed?.broken ?? []),
    ],
  }
}
