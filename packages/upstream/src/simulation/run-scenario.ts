import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { UpstreamOrder } from '../selection/order.ts'
import { type Role, type Scenario, scenarioMs } from './scenarios.ts'
import { seeded } from './seeded.ts'
import { simulateCalls, type SimulatedUpstream, type SimulationOutcome } from './simulate-calls.ts'

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
export interface ScenarioOutcome extends SimulationOutcome {
  readonly scenario: string
}

const callsPerSecond = 40

const requestOf = (method: string): RpcRequest => ({ method, params: rawJsonFromText('[]'), notification: false })
/** Twenty calls: sixteen execute, three search logs, and one sends a transaction. */
const mix = [
  ...Array.from({ length: 16 }, () => requestOf('eth_call')),
  ...Array.from({ length: 3 }, () => requestOf('eth_getLogs')),
  requestOf('eth_sendRawTransaction'),
]
const classes: Readonly<Record<string, string>> = { eth_getLogs: 'logs', eth_sendRawTransaction: 'write' }

/** Runs a mix of calls over upstreams to which a scenario happens. The same options give the same outcome, but for `decisionUs`. */
export async function runScenario(options: ScenarioOptions): Promise<ScenarioOutcome> {
  const { upstreams, scenario, favourite, policy, now } = options
  const random = seeded(1)
  const places = new Map(upstreams.map(({ name }, place) => [name, place]))
  const roles = new Map<string, Role>(
    upstreams.map(({ name, tier = 'primary' }) => [name, { tier, isFavourite: name === favourite }]),
  )
  const seconds = new Map<string, { second: number; calls: number }>()

  /** Counts a call to an upstream; true where it is one too many in this second. */
  function isTooMany(name: string, at: number, most: number): boolean {
    const second = Math.floor(at / 1_000)
    const counted = seconds.get(name)
    if (counted?.second !== second) seconds.set(name, { second, calls: 1 })
    else counted.calls++
    return seconds.get(name)!.calls > most
  }

  const outcome = await simulateCalls({
    upstreams,
    policy,
    random,
    now,
    classOf: ({ method }) => classes[method] ?? 'read',
    take({ upstream, at, isProbe }) {
      const { state, slowness, mostPerSecond } = scenario.behaviour(roles.get(upstream)!, at)
      if (state === 'down') return { outcome: 'unreachable', ms: 0 }
      const isRefused = isTooMany(upstream, at, mostPerSecond)
      const ms = (15 + 10 * (isProbe ? 0 : places.get(upstream)!)) * slowness * (0.7 + 0.6 * random())
      return { outcome: isRefused ? 'rate_limited' : 'answered', ms }
    },
    isBehind: (name, at) => scenario.behaviour(roles.get(name)!, at).state === 'behind',
    lastMs: scenarioMs,
    load(clock, send) {
      const start = clock.now()
      let calls = 0
      function arrive(): void {
        if (clock.now() - start >= scenarioMs) return
        send(mix[calls++ % mix.length]!)
        clock.after((2_000 * random()) / callsPerSecond, arrive)
      }
      arrive()
    },
  })
  return { scenario: scenario.name, ...outcome }
}
