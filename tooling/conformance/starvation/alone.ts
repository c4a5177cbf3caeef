import { limitsOf } from '@wayleave/gateway/internal/config/limits'
import { attackerProject, type Gateway, startGateway } from './gateway.ts'
import { Child } from './measure/child.ts'
import { percentile } from './measure/percentile.ts'
import { coreTime, machineBusyMs } from './measure/process-figures.ts'

/** The part of the throughput without caps that one project alone has at least. */
const leastShare = 0.95

/** With more use of the cores by other programs, in percent of one, calls a second tell nothing. */
const mostForeign = 30

/** Limits that share something, by name, and a value that cannot bind. Those that the gateway does not have are left out. */
const unbinding: Readonly<Record<string, number>> = {
  maxInFlight: 100_000,
  maxCalls: 1_000_000,
  maxUpstreamCalls: 1_000_000,
  maxHeldBytes: 2_000_000_000,
}

/** One way of asking, with the medians of its rounds. */
interface AloneLoad {
  readonly name: string
  readonly callsPerSecond: { readonly limited: number; readonly unlimited: number }
  /** CPU of the gateway for each call. */
  readonly micros: { readonly limited: number; readonly unlimited: number }
  /** The median of the rounds' ratios of calls a second. */
  readonly share: number
  /** The same of calls a second of CPU, which tells more where other programs use the cores. */
  readonly shareByCpu: number
  readonly failures: number
  /** What programs outside of this harness used meanwhile, in percent of one core. */
  readonly foreign: number
}

export interface AloneResult {
  readonly raised: readonly string[]
  readonly loads: readonly AloneLoad[]
  readonly holds: boolean
}

const loads = [
  { name: '256 connections', connections: 256, batch: 0 },
  { name: 'batches of 100 on 8 connections', connections: 8, batch: 100 },
]
const roundMs = 2_000

interface Round {
  readonly perSecond: number
  readonly micros: number
  readonly failures: number
}

/** Measures one project alone against fast nodes, with default limits and with limits that cannot bind, by turns. */
export async function runAlone(rounds: number): Promise<AloneResult> {
  await using nodes = new Child(new URL('nodes.ts', import.meta.url))
  const { first, healthy } = await nodes.ask<{ first: string; healthy: string }>('start')
  const known = Object.keys(limitsOf({}))
  const limits = Object.fromEntries(Object.entries(unbinding).filter(([name]) => known.includes(name)))
  await using limited = await startGateway({ upstreams: [first, healthy] })
  await using unlimited = await startGateway({ upstreams: [first, healthy], limits })
  await using load = new Child(new URL('alone-load.ts', import.meta.url))

  async function run({ rpc, pid }: Gateway, connections: number, batch: number, ms: number): Promise<Round> {
    const before = coreTime(pid).ran
    const path = `/one/v3/${attackerProject.key}`
    const asked = { rpc, path, connections, batch, ms }
    const { calls, failures, elapsed } = await load.ask<{ calls: number; failures: number; elapsed: number }>(
      'run',
      asked,
    )
    return { perSecond: (calls * 1000) / elapsed, micros: ((coreTime(pid).ran - before) * 1000) / calls, failures }
  }

  const results: AloneLoad[] = []
  for (const { name, connections, batch } of loads) {
    const pairs: { readonly limited: Round; readonly unlimited: Round }[] = []
    for (const gateway of [limited, unlimited]) await run(gateway, connections, batch, roundMs)
    const ours = [process.pid, nodes.pid, limited.pid, unlimited.pid, load.pid]
    const foreignMs = (): number => machineBusyMs() - ours.reduce((sum, pid) => sum + coreTime(pid).ran, 0)
    const before = { at: performance.now(), foreign: foreignMs() }
    for (let i = 0; i < rounds; i++) {
      // Each goes first in every other round.
      const order = i % 2 === 0 ? [limited, unlimited] : [unlimited, limited]
      const one = await run(order[0]!, connections, batch, roundMs)
      const other = await run(order[1]!, connections, batch, roundMs)
      pairs.push(i % 2 === 0 ? { limited: one, unlimited: other } : { limited: other, unlimited: one })
    }
    const median = (of: (pair: (typeof pairs)[number]) => number): number => percentile(pairs.map(of), 50)
    results.push({
      name,
      callsPerSecond: {
        limited: median((pair) => pair.limited.perSecond),
        unlimited: median((pair) => pair.unlimited.perSecond),
      },
      micros: { limited: median((pair) => pair.limited.micros), unlimited: median((pair) => pair.unlimited.micros) },
      share: median((pair) => pair.limited.perSecond / pair.unlimited.perSecond),
      shareByCpu: median((pair) => pair.unlimited.micros / pair.limited.micros),
      failures: pairs.reduce((sum, pair) => sum + pair.limited.failures, 0),
      foreign: Math.max(0, (100 * (foreignMs() - before.foreign)) / (performance.now() - before.at)),
    })
  }
  const holds = results.every(
    ({ share, shareByCpu, failures, foreign }) =>
      (foreign > mostForeign ? shareByCpu : share) >= leastShare && failures === 0,
  )
  return { raised: Object.keys(limits), loads: results, holds }
}

/** Prints a line for each load. */
export function printAlone({ raised, loads: results, holds }: AloneResult): string {
  return [
    `one project alone; raised for comparison: ${raised.join(', ')}`,
    ...results.map(
      ({ name, callsPerSecond, micros, share, shareByCpu, failures, foreign }) =>
        `${name}: ${callsPerSecond.limited.toFixed(0)} calls/s, ${micros.limited.toFixed(1)} µs; ` +
        `without caps ${callsPerSecond.unlimited.toFixed(0)}, ${micros.unlimited.toFixed(1)} µs; ` +
        `${(100 * share).toFixed(1)} % of the calls, ${(100 * shareByCpu).toFixed(1)} % by CPU (bar ${100 * leastShare} %), ${failures} failed; other programs used ${foreign.toFixed(0)} % of a core`,
    ),
    holds ? 'holds' : 'does not hold',
  ].join('\n')
}
