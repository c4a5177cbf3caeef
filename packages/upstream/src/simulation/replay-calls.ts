import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodClass } from '../health/class-health.ts'
import type { FailureKind } from '../health/failure-kind.ts'
import type { UpstreamOrder } from '../selection/order.ts'
import { createMethodTable } from '../selection/method-table.ts'
import { seeded } from './seeded.ts'
import { simulateCalls, type SimulatedUpstream, type SimulationOutcome } from './simulate-calls.ts'

/** A call that was made, with what its upstreams did with it. */
export interface ReplayedCall {
  /** The time at which it began, in ms; of all calls on the same clock. */
  readonly at: number
  readonly method: string
  /** The upstream that answered, and the ms that it took; undefined where none did. */
  readonly upstream: string | undefined
  readonly ms: number
  /** Upstreams that were asked and gave no answer, with the kind of their failure and the ms until then. */
  readonly failed: readonly ReplayedFailure[]
  /** The groups whose upstreams may be asked; undefined: all may. */
  readonly groups?: readonly string[] | undefined
}

export interface ReplayedFailure {
  readonly upstream: string
  readonly kind: FailureKind
  readonly ms: number
}

export interface ReplayOptions {
  /** In the order in which they began. */
  readonly calls: readonly ReplayedCall[]
  readonly upstreams: readonly SimulatedUpstream[]
  /** Default: the default policy. */
  readonly policy?: UpstreamOrder | undefined
  readonly classOf: (method: string) => MethodClass
  /** Real time in ms, to measure what a decision costs. */
  readonly now: () => number
  /** Lets other work of the process go first; awaited now and then. Default: none does. */
  readonly giveWay?: (() => Promise<void>) | undefined
}

/** The outcome of calls that were made again. */
export interface ReplayOutcome extends SimulationOutcome {
  /** Units that the calls to each upstream with a budget cost. */
  readonly units: ReadonlyMap<string, number>
}

/** One question to an upstream, as it was answered. */
interface Attempt {
  readonly at: number
  readonly ms: number
  readonly outcome: FailureKind | 'answered'
}

/** Failures that are about what a call asks for. */
const ofTheCall: ReadonlySet<FailureKind> = new Set(['lagging', 'pruned', 'range_too_large'])
/** The latency that is assumed where nothing at all was answered, in ms. */
const usualMs = 50

/**
 * Makes calls again at their times, on a virtual clock, over upstreams that answer as they did then: each as fast, and as well, as it answered the
 * recorded call that is nearest in time, of the same class where there is one. An upstream without a record answers as the others did.
 */
export async function replayCalls(options: ReplayOptions): Promise<ReplayOutcome> {
  const { calls, upstreams, policy, classOf, now, giveWay } = options
  const records = createRecords(calls, classOf)
  const begun = calls[0]?.at ?? 0
  const units = new Map<string, number>()
  const prices = new Map(
    upstreams.flatMap(({ name, budget }) =>
      budget === undefined ? [] : [[name, createMethodTable(budget.prices ?? {})] as const],
    ),
  )
  const outcome = await simulateCalls({
    upstreams,
    policy,
    random: seeded(1),
    now,
    giveWay,
    classOf: ({ method }) => classOf(method),
    take({ upstream, request: { method }, at, isProbe }) {
      const price = isProbe ? undefined : prices.get(upstream)
      if (price !== undefined) units.set(upstream, (units.get(upstream) ?? 0) + (price(method) ?? 1))
      return records(upstream, classOf(method), method, begun + at)
    },
    lastMs: (calls.at(-1)?.at ?? 0) - begun,
    load(clock, send) {
      for (const { at, method, groups } of calls) clock.after(at - begun, () => send(requestOf(method), groups))
    },
  })
  return { ...outcome, units }
}

const requestOf = (method: string): RpcRequest => ({ method, params: rawJsonFromText('[]'), notification: false })

/** Makes a function that finds how an upstream answered calls of a class about a time. */
function createRecords(
  calls: readonly ReplayedCall[],
  classOf: (method: string) => MethodClass,
): (upstream: string, of: MethodClass, method: string, at: number) => Attempt {
  const lists = new Map<string, Attempt[]>()
  /** Methods of which an upstream has said that it does not have them. */
  const missing = new Map<string, Attempt>()
  const keysOf = (upstream: string, of: MethodClass): readonly string[] => [
    `${upstream}\n${of}`,
    `${upstream}\n`,
    `\n${of}`,
    '\n',
  ]
  function note(upstream: string, of: MethodClass, attempt: Attempt): void {
    // An upstream that failed tells nothing of one that was not asked.
    const keys = keysOf(upstream, of).slice(0, attempt.outcome === 'answered' ? 4 : 2)
    for (const key of keys) {
      const list = lists.get(key)
      if (list === undefined) lists.set(key, [attempt])
      else list.push(attempt)
    }
  }
  for (const { at, method, upstream, ms, failed } of calls) {
    const of = classOf(method)
    for (const { upstream: name, kind, ms: failedMs } of failed) {
      const attempt: Attempt = { at, ms: failedMs, outcome: kind }
      if (kind === 'method_missing') missing.set(`${name}\n${method}`, attempt)
      // A call that asks for too much says nothing of the next one.
      else if (!ofTheCall.has(kind)) note(name, of, attempt)
    }
    if (upstream !== undefined) note(upstream, of, { at, ms, outcome: 'answered' })
  }
  return (upstream, of, method, at) => {
    const lacking = missing.get(`${upstream}\n${method}`)
    if (lacking !== undefined) return lacking
    for (const key of keysOf(upstream, of)) {
      const list = lists.get(key)
      if (list !== undefined) return nearest(list, at)
    }
    return { at, ms: usualMs, outcome: 'answered' }
  }
}

function nearest(sorted: readonly Attempt[], at: number): Attempt {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]!.at < at) low = middle + 1
    else high = middle
  }
  const before = sorted[low - 1]
  const after = sorted[low]
  if (before === undefined) return after!
  return after === undefined || at - before.at <= after.at - at ? before : after
}
