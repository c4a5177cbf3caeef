import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from '../gateways/gateway.ts'
import type { Sample } from '../load/load-program.ts'
import { startLoad } from '../load/start-load.ts'
import { count, type Figure, figure, ms } from '../measure/figure.ts'
import { type FaultyNodes, faults, startFaultyNodes } from '../nodes/faulty-nodes.ts'
import { chainId } from '../nodes/start-nodes.ts'
import type { RunOptions, Scenario } from '../scenario.ts'

const perSecond = 50
/** The length of one run, in seconds. */
const runSeconds = 4
const askEveryMs = 25
/** An answer for the latest block that is further behind the highest one told than this is the lagging node's, whatever the header says. */
const mostBehind = 10

interface Run {
  readonly calls: number
  readonly false: number
  readonly failed: number
  /** Undefined where the gateway does not tell. */
  readonly knownMs: number | undefined
}

/** Counts the answers of a faulty node, by their values, or by the gateway's own word for it. */
export function countFalse(samples: readonly Sample[], fault: string, balance: string): number {
  let highest = 0
  let found = 0
  for (const sample of samples) {
    const isOther = sample.balance !== undefined && sample.balance !== balance
    const isOld = sample.height !== undefined && sample.height < highest - mostBehind
    if (isOther || isOld || sample.upstream === fault) found++
    else highest = Math.max(highest, sample.height ?? 0)
  }
  return found
}

async function namedAfter(gateway: Gateway, fault: string, signal: AbortSignal): Promise<number | undefined> {
  const began = performance.now()
  while (performance.now() < began + runSeconds * 1_000) {
    const out = await gateway.out()
    if (out === undefined) return undefined
    if (out.includes(fault)) return performance.now() - began
    await sleep(askEveryMs, undefined, { signal })
  }
  return Number.POSITIVE_INFINITY
}

async function runOne(
  nodes: FaultyNodes,
  fault: (typeof faults)[number],
  place: number,
  verify: string,
  { product, signal, onDelay }: RunOptions,
): Promise<Run> {
  const upstreams = nodes.good.toSpliced(place, 0, nodes.faulty[fault])
  await using gateway = await product.start({ chainId, upstreams, verify })
  const { account, balance } = nodes
  const [{ samples, ownDelay }, knownMs] = await Promise.all([
    startLoad(gateway, { calls: runSeconds * perSecond, perSecond, reads: 'latest', account }, signal),
    namedAfter(gateway, fault, signal),
  ])
  onDelay(ownDelay)
  const failed = samples.filter(({ failure }) => failure !== '').length
  return { calls: samples.length, false: countFalse(samples, fault, balance), failed, knownMs }
}

function figuresOf(fault: string, verify: string, runs: readonly Run[]): readonly Figure[] {
  const sum = (member: 'calls' | 'false' | 'failed'): number => runs.reduce((total, run) => total + run[member], 0)
  const known = runs.flatMap(({ knownMs }) => knownMs ?? [])
  const name = (what: string): string => `${fault}, ${verify}: ${what}`
  return [
    figure(name(`of ${count(sum('calls'))} answers are its own`), sum('false'), count, { most: 0 }),
    ...(known.length === 0 ? [] : [figure(name('named by /status after'), Math.max(...known), ms, { most: 2_000 })]),
    figure(name('failed calls'), sum('failed'), count),
  ]
}

export const wrong: Scenario = {
  name: 'wrong',
  does: 'one of three is of another chain, stuck at block 0, or lags by 20 blocks; at each place of the list',
  async run(options) {
    await using stack = new AsyncDisposableStack()
    const nodes = await startFaultyNodes(stack)
    const levels = options.product.verifies ? ['off', 'consistent', 'proven'] : ['off']
    const figures: Figure[] = []
    for (const fault of faults) {
      for (const verify of levels) {
        const runs: Run[] = []
        for (const place of [0, 1, 2]) runs.push(await runOne(nodes, fault, place, verify, options))
        figures.push(...figuresOf(fault, verify, runs))
      }
    }
    return figures
  },
}
