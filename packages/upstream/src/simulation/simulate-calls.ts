import {
  type Clock,
  createContext,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { createCallSlots } from '../call-slots.ts'
import { createHedging } from '../failsafe/hedging.ts'
import { createRetries } from '../failsafe/retries.ts'
import type { MethodClass } from '../health/class-health.ts'
import { type FailureKind, wasSilent } from '../health/failure-kind.ts'
import { createProber } from '../health/prober.ts'
import { createUpstreamHealth } from '../health/upstream-health.ts'
import { createPool } from '../pool.ts'
import { type CandidateOptions, createCandidate } from '../selection/candidate.ts'
import type { PolicyFault } from '../selection/guarded-order.ts'
import type { UpstreamOrder } from '../selection/order.ts'
import { createSelection } from '../selection/selection.ts'
import { createSpend, type SpendOptions } from '../selection/spend.ts'
import { SimulatedClock } from './simulated-clock.ts'

/** An upstream that is simulated. */
export interface SimulatedUpstream extends Pick<CandidateOptions, 'tier' | 'weight' | 'price' | 'groups' | 'methods'> {
  readonly name: string
  readonly budget?: Pick<SpendOptions, 'perSecond' | 'perDay' | 'perMonth' | 'prices'> | undefined
}

/** A call as it reaches an upstream. */
export interface TakenCall {
  readonly upstream: string
  readonly request: RpcRequest
  /** Ms from the beginning. */
  readonly at: number
  /** Whether it only tries whether the upstream is well again. */
  readonly isProbe: boolean
}

/** The way in which an upstream takes a call: it answers after so many ms, or fails. */
export interface Taken {
  readonly outcome: FailureKind | 'answered'
  readonly ms: number
}

export interface SimulationOptions {
  readonly upstreams: readonly SimulatedUpstream[]
  /** Default: the default policy. */
  readonly policy?: UpstreamOrder | undefined
  readonly classOf: (request: RpcRequest) => MethodClass
  readonly take: (call: TakenCall) => Taken
  /** Sends calls by `send`, from the beginning on; each to upstreams of `groups`, or to any. */
  readonly load: (clock: Clock, send: (request: RpcRequest, groups?: readonly string[]) => void) => void
  /** The time of the last call, in ms from the beginning. */
  readonly lastMs: number
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** Real time in ms, to measure what a decision costs, and how long this has worked at a stretch. */
  readonly now: () => number
  /** Lets other work of the process go first; awaited every few ms. Default: none does. */
  readonly giveWay?: (() => Promise<void>) | undefined
}

/** The outcome of simulated calls. */
export interface SimulationOutcome {
  readonly calls: number
  readonly failed: number
  /** Calls to each upstream. */
  readonly asked: Readonly<Record<string, number>>
  /** The median and the 95th percentile of answered calls, in ms of the simulation; NaN without any. */
  readonly p50Ms: number
  readonly p95Ms: number
  /** Faults of the policy, by kind. */
  readonly faults: Readonly<Partial<Record<PolicyFault, number>>>
  /** The first exception of the policy, for people. */
  readonly thrown: string | undefined
  /** Microseconds of processor time for each choice. */
  readonly decisionUs: number
}

const deadlineMs = 10_000
/** Steps of promises that a call may take between two timers. */
const mostSteps = 40
/** Time after which other work may go first, in ms. */
const atOnceMs = 4
const result: RpcResponse = { result: rawJsonFromText('"0x1"') }
/** The code of simulated errors, whose message is their kind. */
const errorCode = -32_000

/** Runs calls through pool, selection and health over simulated upstreams. The same options give the same outcome, but for `decisionUs`. */
export async function simulateCalls(options: SimulationOptions): Promise<SimulationOutcome> {
  const { upstreams, policy, classOf, take, load, lastMs, random, now, giveWay } = options
  const clock = new SimulatedClock()
  const start = clock.now()
  const asked: Record<string, number> = Object.fromEntries(upstreams.map(({ name }) => [name, 0]))
  const faults: Partial<Record<PolicyFault, number>> = {}
  let thrown: string | undefined
  const prober = createProber({ clock, probe: (name, context) => answer(name, probe, context) })

  function answer(upstream: string, request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    const { outcome, ms } = take({ upstream, request, at: clock.now() - start, isProbe: request === probe })
    return new Promise((resolve, reject) => {
      function end(): void {
        forget()
        if (outcome === 'answered') resolve(result)
        else if (wasSilent(outcome)) reject(new RpcError('connect', 'refused', { delivery: 'not_sent' }))
        else resolve({ error: { code: errorCode, message: outcome } })
      }
      const stop = ms === 0 ? () => {} : clock.after(ms, end)
      const forget = context.onCancel((why) => {
        stop()
        reject(why)
      })
      if (ms === 0) end()
    })
  }

  const candidates = upstreams.map(({ name, budget, ...rest }) =>
    createCandidate({
      ...rest,
      endpoint: {
        name,
        carriesSubscriptions: false,
        handler(request, context) {
          asked[name]!++
          return answer(name, request, context)
        },
      },
      health: createUpstreamHealth({ name, onProbeDue: prober.schedule }),
      slots: 160,
      spend: budget && createSpend({ clock, ...budget }),
    }),
  )
  const selection = createSelection({
    candidates,
    random,
    order: policy,
    onPolicyFault(fault, why) {
      faults[fault] = (faults[fault] ?? 0) + 1
      if (fault === 'threw') thrown ??= printThrown(why)
    },
  })
  let decisions = 0
  let decisionMs = 0
  const groupsOf = new WeakMap<RpcContext, readonly string[]>()
  const pool = createPool({
    selection: {
      ...selection,
      order(call) {
        const from = now()
        const ordered = selection.order(call)
        decisionMs += now() - from
        decisions++
        return ordered
      },
    },
    clock,
    slots: createCallSlots({ clock }),
    hedging: createHedging(),
    retries: createRetries({ random }),
    classOf,
    isRepeatable: (request) => classOf(request) !== 'write',
    opensSubscription: () => false,
    groupsOf: (context) => groupsOf.get(context),
    verdictOf: (_request, { message }) => ({ kind: message as FailureKind }),
  })

  const times: number[] = []
  let calls = 0
  let failed = 0
  load(clock, (request, groups) => {
    const begun = clock.now()
    const context = createContext({ clock, timeoutMs: deadlineMs })
    if (groups !== undefined) groupsOf.set(context, groups)
    calls++
    pool(request, context)
      .then(
        (response) => {
          if (response.error === undefined) times.push(clock.now() - begun)
          else failed++
        },
        () => void failed++,
      )
      .finally(() => context.release())
      .catch(() => {})
  })
  const end = start + lastMs + deadlineMs
  let workedFrom = now()
  do {
    for (let i = 0; i < mostSteps; i++) await undefined
    if (giveWay !== undefined && now() - workedFrom >= atOnceMs) {
      await giveWay()
      workedFrom = now()
    }
  } while (clock.runNext(end))
  prober.close()
  times.sort((a, b) => a - b)
  const quantile = (q: number): number => times[Math.floor(q * (times.length - 1))] ?? Number.NaN
  return {
    calls,
    failed,
    asked,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    faults,
    thrown,
    decisionUs: decisions === 0 ? 0 : (decisionMs * 1_000) / decisions,
  }
}

/** Prints what a policy threw; to read that may throw, too. */
function printThrown(why: unknown): string {
  try {
    return why instanceof Error ? `${why.name}: ${why.message}` : typeof why
  } catch {
    return 'an error that cannot be read'
  }
}

/** The question by which an upstream's health is tried. */
const probe: RpcRequest = { method: 'eth_chainId', params: rawJsonFromText('[]'), notification: false }
