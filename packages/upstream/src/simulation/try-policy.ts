import type { UpstreamOrder } from '../selection/order.ts'
import { runScenario, type ScenarioOutcome } from './run-scenario.ts'
import { type Role, scenarios } from './scenarios.ts'
import type { SimulatedUpstream } from './simulate-calls.ts'

export interface PolicyTrialOptions {
  readonly upstreams: readonly SimulatedUpstream[]
  /** Default: the default policy. */
  readonly policy?: UpstreamOrder | undefined
  /** Real time in ms, to measure what a decision costs. */
  readonly now: () => number
  /** Called before each scenario. */
  readonly onScenario?: ((name: string) => void) | undefined
}

/** A scenario under a policy, and under the default one. */
export interface PolicyTrial {
  readonly outcome: ScenarioOutcome
  readonly byDefault: ScenarioOutcome
  /** Reasons not to serve with this policy, for people; empty: there is none. */
  readonly faults: readonly string[]
}

/** Calls among which one more that fails than by default is chance. */
const callsPerChance = 500

/** Tries a policy in each scenario that fits the upstreams, beside the default one. */
export async function tryPolicy(options: PolicyTrialOptions): Promise<readonly PolicyTrial[]> {
  const { upstreams, policy, now, onScenario } = options
  const trials: PolicyTrial[] = []
  let favourite: string | undefined
  for (const scenario of scenarios) {
    if (!scenario.fits(rolesOf(upstreams))) continue
    onScenario?.(scenario.name)
    const run = (order: UpstreamOrder | undefined): Promise<ScenarioOutcome> =>
      runScenario({ upstreams, scenario, favourite, policy: order, now })
    const outcome = await run(policy)
    const byDefault = policy === undefined ? outcome : await run(undefined)
    favourite ??= mostAsked(outcome)
    trials.push({ outcome, byDefault, faults: policy === undefined ? [] : faultsOf(outcome, byDefault) })
  }
  return trials
}

function rolesOf(upstreams: readonly SimulatedUpstream[]): readonly Role[] {
  return upstreams.map(({ tier = 'primary' }) => ({ tier, isFavourite: false }))
}

function mostAsked({ asked }: ScenarioOutcome): string | undefined {
  return Object.entries(asked).toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

function faultsOf(outcome: ScenarioOutcome, byDefault: ScenarioOutcome): readonly string[] {
  const { calls, failed, faults, thrown } = outcome
  const { threw = 0, no_list: noList = 0, stranger = 0 } = faults
  const more = failed - byDefault.failed
  return [
    ...(threw > 0 ? [`it threw ${times(threw)}: ${thrown}`] : []),
    ...(noList > 0 ? [`it returned no list ${times(noList)}`] : []),
    ...(stranger > 0 ? [`it returned what must not be asked ${times(stranger)}`] : []),
    ...(more > Math.floor(calls / callsPerChance)
      ? [`it lost ${more} of ${calls} calls that the default order serves`]
      : []),
  ]
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
