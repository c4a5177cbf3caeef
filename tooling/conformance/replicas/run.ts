import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { devAccounts } from '@wayleave/dev-node'
import { judge, longestStallMs } from '../two-nodes/measure/bars.ts'
import { createObserver, type Figures, type Note, type Reported } from '../two-nodes/measure/observer.ts'
import { exercise } from '../two-nodes/clients/exercise.ts'
import type { TestChain } from '../two-nodes/nodes/chain.ts'
import { startPonderRun } from '../two-nodes/ponder/compare-ponders.ts'
import type { OpenClient } from '../two-nodes/run.ts'
import { startBalancer } from './balancer.ts'
import { paths, type Replica, startReplica, untilAllKnow } from './replica.ts'

export interface ReplicasOptions {
  readonly chain: TestChain
  readonly redis: string
  readonly clients: readonly OpenClient[]
  /** In each round, each replica is killed once. */
  readonly rounds: number
  readonly pauses: { readonly settleMs: number; readonly downMs: number }
  /** A folder with the packages of Ponder, which then indexes through the balancer. */
  readonly ponder?: string | undefined
  /** A folder for the logs. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly report: (line: string) => void
}

export interface ReplicasResult {
  readonly software: string
  readonly rounds: number
  readonly kills: number
  readonly seconds: number
  readonly blocks: number
  /** The longest time that this process itself stood still, in ms: it is a part of what it measured. */
  readonly ownStallMs: number
  readonly figures: readonly Figures[]
  /** Answers by replica. */
  readonly answered: readonly number[]
  /** The times until a cordon held, and no longer held, in all replicas, in ms. */
  readonly cordonMs: readonly number[]
  /** The result of the two Ponders, for people; undefined without them. */
  readonly ponder: string | undefined
  readonly notes: readonly Note[]
  /** Sentences without a full stop; empty where all bars hold. */
  readonly broken: readonly string[]
}

/** The longest that a cordon may take to hold in all replicas, in ms. */
const longestCordonMs = 1_000
const names = ['replica-1', 'replica-2', 'replica-3'] as const
const mostNotes = 2_000

/** Kills three replicas in turn while clients read and send through a balancer, and cordons an upstream at each kill. */
export async function runReplicas(options: ReplicasOptions): Promise<ReplicasResult> {
  const { chain, redis, rounds, pauses, folder, signal, report } = options
  await using opened = new AsyncDisposableStack()
  const replicas: Replica[] = []
  for (const name of names) {
    replicas.push(opened.use(await startReplica({ name, chain, redis, logFile: join(folder, `${name}.log`) })))
  }
  const balancer = opened.use(await startBalancer(replicas.map(({ port }) => port)))
  const url = `${balancer.url}${paths.http}`
  const packages = options.ponder
  const ponder =
    packages === undefined ? undefined : opened.use(await startPonderRun({ chain, url, packages, folder, signal }))

  const reported: Reported = { head: 0 }
  const notes: Note[] = []
  let phase = 'all are well'
  const beganAt = performance.now()
  const seconds = (): number => Math.round((performance.now() - beganAt) / 100) / 10
  const onNote = (client: string, sentence: string): void => {
    if (notes.length < mostNotes) notes.push({ second: seconds(), phase, client, sentence })
  }
  const onPhase = (name: string): void => {
    phase = name
    report(`${seconds().toFixed(1).padStart(6)} s  block ${chain.progress().height}  ${name}`)
  }
  const ending = new AbortController()
  const own = monitorEventLoopDelay({ resolution: 10 })
  own.enable()
  const runs: { readonly figures: () => Figures; readonly ended: Promise<void> }[] = []
  for (const [i, open] of options.clients.entries()) {
    const target = { url, ws: `${balancer.ws}${paths.ws}`, chainId: chain.chainId, account: devAccounts[i]! }
    const client = opened.use(await open(target))
    const observer = createObserver({ client: client.name, reported, onNote, noteStallMs: longestStallMs })
    runs.push({ figures: observer.figures, ended: exercise(client, observer, reported, ending.signal) })
  }
  const before = chain.progress().height
  const cordonMs: number[] = []
  const faults: string[] = []
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal })

  /** Kills a replica; another one cordons an upstream meanwhile, so that it must learn that when it starts. */
  async function hurt(replica: Replica, other: Replica, upstream: string): Promise<void> {
    const rest = replicas.filter((each) => each !== replica)
    onPhase('all are well')
    await pause(pauses.settleMs)
    onPhase(`${replica.name} is killed`)
    await replica.kill()
    await pause(pauses.downMs / 2)
    onPhase(`${other.name} cordons ${upstream} while ${replica.name} is dead`)
    await other.cordon('cordon', upstream)
    cordonMs.push(await untilAllKnow(rest, upstream, true))
    await pause(pauses.downMs / 2)
    onPhase(`${replica.name} starts`)
    await replica.start()
    cordonMs.push(await untilAllKnow([replica], upstream, true))
    await pause(pauses.settleMs / 2)
    onPhase(`${replica.name} lifts the cordon`)
    await replica.cordon('uncordon', upstream)
    cordonMs.push(await untilAllKnow(replicas, upstream, false))
  }

  try {
    for (let i = 0; i < rounds * replicas.length; i++) {
      await hurt(replicas[i % 3]!, replicas[(i + 1) % 3]!, chain.nodes[i % 2]!.name)
    }
    onPhase('all are well')
    await pause(pauses.settleMs)
  } catch (thrown) {
    signal.throwIfAborted()
    faults.push((thrown as Error).message)
  }
  const figures = runs.map((run) => run.figures())
  ending.abort()
  await Promise.all(runs.map(({ ended }) => ended))
  own.disable()
  const indexed = await ponder?.compare()
  const slowest = Math.max(0, ...cordonMs)
  return {
    software: chain.software,
    rounds,
    kills: rounds * replicas.length,
    seconds: seconds(),
    blocks: chain.progress().height - before,
    ownStallMs: own.max / 1e6,
    figures,
    answered: [...balancer.answered],
    cordonMs,
    ponder: indexed?.reported,
    notes,
    broken: [
      ...faults,
      ...figures.flatMap(judge),
      ...(slowest > longestCordonMs ? [`a cordon took ${slowest.toFixed(0)} ms, bar ${longestCordonMs} ms`] : []),
      ...(indexed?.broken ?? []),
    ],
  }
}
