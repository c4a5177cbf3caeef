import { type PolicyTrial, tryPolicy } from '@wayleave/upstream/simulation'
import { realSurroundings } from '../defaults.ts'
import type { Config } from './config.ts'
import { namedUpstream } from './upstream-config.ts'

/** The trial of the policy of one network. */
export interface NetworkTrial {
  readonly network: string
  /** Whether it has a policy of the operator; else the default one was tried. */
  readonly hasPolicy: boolean
  /** Upstreams by name, in the order of the configuration. */
  readonly upstreams: readonly string[]
  readonly trials: readonly PolicyTrial[]
}

/**
 * Tries the policy of each network over simulated upstreams of its tiers, weights, prices, budgets and groups. Nothing is asked; it takes a
 * second or so for a network. `onScenario`: called before each scenario.
 */
export async function simulatePolicies(
  { networks }: Config,
  onScenario: (network: string, scenario: string) => void = () => {},
): Promise<readonly NetworkTrial[]> {
  const trials: NetworkTrial[] = []
  for (const [network, config] of Object.entries(networks)) {
    const upstreams = config.upstreams.map((it, i) => namedUpstream(it, i))
    trials.push({
      network,
      hasPolicy: config.policy !== undefined,
      upstreams: upstreams.map(({ name }) => name),
      trials: await tryPolicy({
        upstreams,
        policy: config.policy,
        now: () => realSurroundings.clock.now(),
        onScenario: (scenario) => onScenario(network, scenario),
      }),
    })
  }
  return trials
}
