import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ClientTarget } from '@wayleave/conformance/two-nodes/clients/client'
import { exercise } from '@wayleave/conformance/two-nodes/clients/exercise'
import { startGateway } from '@wayleave/conformance/two-nodes/gateway'
import { judge, longestStallMs } from '@wayleave/conformance/two-nodes/measure/bars'
import { createObserver, type Figures, type Reported } from '@wayleave/conformance/two-nodes/measure/observer'
import { caughtUp } from '@wayleave/conformance/two-nodes/rounds'
import type { OpenClient } from '@wayleave/conformance/two-nodes/run'
import { devAccounts } from '@wayleave/dev-node'
import { heldToLedger } from './clients/held-to-ledger.ts'
import { type ReaderFigures, startReader } from './clients/reader.ts'
import { ethersWriter, startWriter, viemWriter, type WriterFigures } from './clients/writer.ts'
import { hurtBySchedule, type Hurts } from './hurt.ts'
import { createLedger, type Settlement } from './ledger.ts'
import type { LiveChain } from './nodes/live-chain.ts'
import { leftOver, openSockets, ownResources } from './released.ts'
import { type Misfortune, randomOf } from './schedule.ts'

export interface LiveOptions {
  /** Starts the nodes; they are ended with the run. */
  readonly startChain: () => Promise<LiveChain>
  readonly clients: readonly OpenClient[]
  readonly seed: number
  readonly schedule: readonly Misfortune[]
  readonly lengthMs: number
  readonly everyMs: number
  readonly verify: string
  readonly broadcast: number
  /** A folder for the gateway's log. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly report: (line: string) => void
}

/** A turn of a node's fortune, or a wrong that a client saw. */
interface Event {
  /** Seconds since the clients began. */
  readonly second: number
  readonly who: string
  readonly sentence: string
}

export interface LiveResult {
  readonly software: string
  readonly seed: number
  readonly seconds: number
  readonly blocks: number
  /** The longest time between two blocks, in ms: what no gateway can better. */
  readonly longestGapMs: number
  /** The longest time that this process itself stood still, in ms: it is a part of what it measured. */
  readonly ownStallMs: number
  readonly hurts: Hurts | undefined
  readonly clients: readonly Figures[]
  readonly reader: ReaderFigures
  readonly writers: readonly WriterFigures[]
  readonly settlement: Settlement | undefined
  readonly schedule: readonly Misfortune[]
  readonly timeline: readonly Event[]
  /** Times that a node had another block than the chain by a fault of the rig: such a run says nothing of the gateway. */
  readonly forks: number
  /** Sentences without a full stop; empty where all invariants hold. */
  readonly violations: readonly string[]
}

/** The gateway's `requestTimeoutMs` in a run: the deadline of each call. */
const deadlineMs = 10_000
const readEveryMs = 50
const sendEveryMs = 700
const checkEveryMs = 5_000
/** Time in which the last transactions are mined, in ms. */
const minedWithinMs = 30_000
const closeWithinMs = 10_000
/** Most events that are kept. */
const mostEvents = 3_000
const gwei = 1_000_000_000n

/** Hurts real nodes by a schedule while stock clients read and send through a gateway, and holds what they are told to the chain. */
export async function runLive(options: LiveOptions): Promise<LiveResult> {
  const { schedule, lengthMs, everyMs, verify, broadcast, folder, signal, report, seed } = options
  const before = ownResources()
  const timeline: Event[] = []
  const violations: string[] = []
  let beganAt = performance.now()
  const seconds = (): number => Math.round((performance.now() - beganAt) / 100) / 10
  const happened = (who: string, sentence: string): void => {
    if (timeline.length < mostEvents) timeline.push({ second: seconds(), who, sentence })
  }
  const violate = (sentence: string): void => {
    if (violations.length < mostEvents) violations.push(sentence)
  }
  const onWrong = (client: string, sentence: string): void => {
    happened(client, `WRONG: ${sentence}`)
    violate(`${client}: ${sentence}`)
  }

  const result = await live()
  for (const sentence of await leftOver(before)) violate(sentence)
  return { ...result, seed, schedule, timeline, violations }

  async function live() {
    await using chain = await options.startChain()
    for (const node of chain.nodes) await caughtUp(chain, node, signal)
    const limits = { requestTimeoutMs: deadlineMs }
    await using gateway = await startGateway({ chain, verify, broadcast, limits, logFile: join(folder, 'gateway.log') })
    const { url, ws } = gateway
    const { chainId, sending } = chain
    const ledger = createLedger(onWrong)
    const reported: Reported = { head: 0 }
    const ending = new AbortController()
    const own = monitorEventLoopDelay({ resolution: 10 })
    own.enable()
    beganAt = performance.now()
    const startHeight = chain.progress().height

    const clients = new AsyncDisposableStack()
    let account = 0
    // anvil takes the dearest transaction first: equal ones would stand in the order in which each node got them. ethclient pays 20 gwei.
    const nextTarget = (): ClientTarget => {
      const fees = { maxFeePerGas: (21n + BigInt(account)) * gwei, maxPriorityFeePerGas: gwei }
      return { url, ws, chainId, account: devAccounts[account++]!, fees }
    }
    const runs = []
    for (const open of options.clients) {
      const target = nextTarget()
      const opened = clients.use(await open(target))
      const client = heldToLedger(opened, { address: target.account.address, ledger, sending })
      const observer = createObserver({ client: client.name, reported, onNote: happened, noteStallMs: longestStallMs })
      runs.push({ figures: observer.figures, ended: exercise(client, observer, reported, ending.signal) })
    }
    const writers = [viemWriter, ethersWriter].map((make) => {
      const target = nextTarget()
      const library = clients.use(make(target))
      return startWriter({ library, target, ledger, everyMs: sendEveryMs, sending, onWrong }, ending.signal)
    })
    const random = randomOf(seed ^ 0x5eed)
    const reader = startReader(
      { name: 'reader', url, ledger, random, deadlineMs, everyMs: readEveryMs, onWrong },
      ending.signal,
    )

    const reference = chain.referenceUrl
    const check = async (): Promise<void> => {
      if (reference !== undefined) await ledger.check(reference, chain.progress().height)
    }
    const checks = setInterval(
      () => void check().catch((why: unknown) => violate(`the reference failed: ${String(why)}`)),
      checkEveryMs,
    )
    let hurts: Hurts | undefined
    try {
      hurts = await hurtBySchedule({
        chain,
        schedule,
        lengthMs,
        patienceMs: everyMs,
        signal,
        onTurn(sentence) {
          happened('nodes', sentence)
          report(`${seconds().toFixed(1).padStart(6)} s  block ${chain.progress().height}  ${sentence}`)
        },
      })
    } catch (thrown) {
      if (!signal.aborted) violate((thrown as Error).message)
    }
    const figures = runs.map((run) => run.figures())
    const { height, longestGapMs } = chain.progress()
    const took = seconds()
    ending.abort()
    clearInterval(checks)
    report(`${took.toFixed(1).padStart(6)} s  block ${height}  the end: waiting for receipts`)
    await Promise.all([...runs, ...writers, reader].map(({ ended }) => ended))
    own.disable()
    const settlement = await ledger.settle(reference ?? chain.nodes[0].url, minedWithinMs)
    await clients.disposeAsync()
    const open = await openSockets(gateway.admin)
    if (open !== undefined) violate(open)
    if (!gateway.alive()) violate('the gateway ended')
    else if (!(await gateway.close(closeWithinMs))) {
      violate(`the gateway did not end by itself within ${closeWithinMs / 1_000} s of its close`)
    }
    for (const sentence of [...figures.flatMap(judge), ...chain.forks().map((fork) => `the rig: ${fork}`)])
      violate(sentence)
    return {
      software: chain.software,
      seconds: took,
      blocks: height - startHeight,
      longestGapMs,
      ownStallMs: own.max / 1e6,
      hurts,
      forks: chain.forks().length,
      clients: figures,
      reader: reader.figures(),
      writers: writers.map((writer) => writer.figures()),
      settlement,
    }
  }
}
