import {
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
import { createProber } from '../health/prober.ts'
import { createUpstreamHealth } from '../health/upstream-health.ts'
import { createPool } from '../pool.ts'
import { type CandidateOptions, createCandidate } from '../selection/candidate.ts'
import type { PolicyFault } from '../selection/guarded-order.ts'
import type { UpstreamOrder } from '../selection/order.ts'
import { createSelection } from '../selection/selection.ts'
import { createSpend, type SpendOptions } from '../selection/spend.ts'
import { type Role, type Scenario, scenarioMs } from './scenarios.ts'
import { seeded } from './seeded.ts'
import { SimulatedClock } from './simulated-clock.ts'

/** An upstream that is simulated. */
export interface SimulatedUpstream extends Pick<CandidateOptions, 'tier' | 'weight' | 'price' | 'groups' | 'methods'> {
  readonly name: string
  readonly budget?: Pick<SpendOptions, 'perSecond' | 'perDay' | 'perMonth' | 'prices'> | undefined
}

export interface ScenarioOptions {
  readonly upstreams: readonly SimulatedUpstream[]
  readonly scenario: Scenario
  /** The name of the upstream that the policy asks most while all are well. */
  readonly favourite: string | undefined
  /** Default: the default policy. */
  readonly policy?: UpstreamOrder | undefined
  /** Real time in ms, to measure what a decision costs. */
  readonly now: () => number
}

/** The outcome of a scenario. */
export interface ScenarioOutcome {
  readonly scenario: string
  readonly calls: number
  readonly failed: number
  /** Calls to each upstream. */
  readonly asked: Readonly<Record<string, number>>
  /** The median and the 95th percentile of answered calls, in ms of the simulation. */
  readonly p50Ms: number
  readonly p95Ms: number
  /** Faults of the policy, by kind. */
  readonly faults: Readonly<Partial<Record<PolicyFault, number>>>
  /** The first exception of the policy, for people. */
  readonly thrown: string | undefined
  /** Microseconds of processor time for each choice. */
  readonly decisionUs: number
}

const callsPerSecond = 40
const deadlineMs = 10_000
/** Steps of promises that a call may take between two timers. */
const mostSteps = 40
const result: RpcResponse = { result: rawJsonFromText('"0x1"') }
const rateLimited: RpcResponse = { error: { code: -32_005, message: 'rate limited' } }

const requestOf = (method: string): RpcRequest => ({ method, params: rawJsonFromText('[]'), notification: false })
/** Twenty calls: sixteen execute, three search logs, and one sends a transaction. */
const mix = [
  ...Array.from({ length: 16 }, () => requestOf('eth_call')),
  ...Array.from({ length: 3 }, () => requestOf('eth_getLogs')),
  requestOf('eth_sendRawTransaction'),
]
const classes: Readonly<Record<string, string>> = { eth_getLogs: 'logs', eth_sendRawTransaction: 'write' }
const classOf = ({ method }: RpcRequest): string => classes[method] ?? 'read'

/** Runs calls through pool, selection and health over simulated upstreams. The same options give the same outcome, but for `decisionUs`. */
export async function runScenario(options: ScenarioOptions): Promise<ScenarioOutcome> {
  const { upstreams, scenario, favourite, policy, now } = options
  const clock = new SimulatedClock()
  const start = clock.now()
  const random = seeded(1)
  const asked: Record<string, number> = Object.fromEntries(upstreams.map(({ name }) => [name, 0]))
  const faults: Partial<Record<PolicyFault, number>> = {}
  let thrown: string | undefined
  const roles = new Map<string, Role>(
    upstreams.map(({ name, tier = 'primary' }) => [name, { tier, isFavourite: name === favourite }]),
  )
  const behaviourOf = (name: string) => scenario.behaviour(roles.get(name)!, clock.now() - start)

  const prober = createProber({ clock, probe: (name, context) => answer(name, 0, context) })
  const seconds = new Map<string, { second: number; calls: number }>()

  /** Counts a call to an upstream; true where it is one too many in this second. */
  function isTooMany(name: string, most: number): boolean {
    const second = Math.floor(clock.now() / 1_000)
    const counted = seconds.get(name)
    if (counted?.second !== second) seconds.set(name, { second, calls: 1 })
    else counted.calls++
    return seconds.get(name)!.calls > most
  }

  function answer(name: string, place: number, context: RpcContext): Promise<RpcResponse> {
    const { state, slowness, mostPerSecond } = behaviourOf(name)
    if (state === 'down') return Promise.reject(new RpcError('connect', 'refused', { delivery: 'not_sent' }))
    const isRefused = isTooMany(name, mostPerSecond)
    const ms = (15 + 10 * place) * slowness * (0.7 + 0.6 * random())
    return new Promise((resolve, reject) => {
      const stop = clock.after(ms, () => {
        forget()
        resolve(isRefused ? rateLimited : result)
      })
      const forget = context.onCancel((why) => {
        stop()
        reject(why)
      })
    })
  }

  const candidates = upstreams.map(({ name, budget, ...rest }, place) =>
    createCandidate({
      ...rest,
      endpoint: {
        name,
        carriesSubscriptions: false,
        handler(_request, context) {
          asked[name]!++
          return answer(name, place, context)
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
    standingOf: ({ endpoint }) => (behaviourOf(endpoint.name).state === 'behind' ? 'behind' : undefined),
    onPolicyFault(fault, why) {
      faults[fault] = (faults[fault] ?? 0) + 1
      if (fault === 'threw') thrown ??= why instanceof Error ? `${why.name}: ${why.message}` : typeof why
    },
  })
  let decisions = 0
  let decisionMs = 0
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
    verdictOf: (_request, { code }) => (code === -32_005 ? { kind: 'rate_limited' } : undefined),
  })

  const times: number[] = []
  let calls = 0
  let failed = 0
  function send(): void {
    const begun = clock.now()
    const context = createContext({ clock, timeoutMs: deadlineMs })
    const request = mix[calls++ % mix.length]!
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
  }
  function arrive(): void {
    if (clock.now() - start >= scenarioMs) return
    send()
    clock.after((2_000 * random()) / callsPerSecond, arrive)
  }
  arrive()
  const end = start + scenarioMs + deadlineMs
  do {
    for (let i = 0; i < mostSteps; i++) await undefined
  } while (clock.runNext(end))
  prober.close()
  times.sort((a, b) => a - b)
  const quantile = (q: number): number => times[Math.floor(q * (times.length - 1))] ?? Number.NaN
  return {
    scenario: scenario.name,
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
