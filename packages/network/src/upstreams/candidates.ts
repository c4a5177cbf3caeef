import type { Clock } from '@wayleave/jsonrpc-core'
import {
  type Candidate,
  createCandidate,
  createSpend,
  type Endpoint,
  type Spend,
  type SpendLedger,
  type UpstreamHealth,
} from '@wayleave/upstream'
import type { NetworkConfig } from '../config/network-config.ts'
import { nodesOf } from '../config/same-nodes.ts'
import { namedUpstream, type UpstreamBudgetConfig } from '../config/upstream-config.ts'
import { createKeptHealth, type KeptHealth } from './kept-upstreams.ts'
import { upstreamGroups } from './project-upstreams.ts'

export interface CandidatesOptions {
  readonly clock: Clock
  /** Most calls in flight of each. */
  readonly slots: number
  /** The units that all replicas have spent at an upstream, by its name. Default: this process is alone. */
  readonly ledgerOf?: ((upstream: string) => SpendLedger | undefined) | undefined
  /** The units that were spent so far, by upstream and budget: they count on. Default: none were. */
  readonly spends?: Map<string, Spend> | undefined
  /** How upstreams have fared so far, by name: it counts on. Default: they were not asked. */
  readonly healths?: Map<string, KeptHealth> | undefined
  /** Asks for a probe in so many ms. */
  readonly onProbeDue: (health: UpstreamHealth, inMs: number) => void
}

/** Makes candidates of a network's endpoints, which stand in the order of its `upstreams`. */
export function createCandidates(
  endpoints: readonly Endpoint[],
  { upstreams }: Pick<NetworkConfig, 'upstreams'>,
  { clock, slots, ledgerOf, spends, healths, onProbeDue }: CandidatesOptions,
): readonly Candidate[] {
  function spendOf(name: string, budget: UpstreamBudgetConfig): Spend {
    const id = JSON.stringify([name, budget])
    const spend = spends?.get(id) ?? createSpend({ clock, ...budget, ledger: ledgerOf?.(name) })
    spends?.set(id, spend)
    return spend
  }

  function healthOf(name: string): UpstreamHealth {
    const known = healths?.get(name)
    if (known !== undefined) return known.health
    const kept = createKeptHealth(name, onProbeDue)
    healths?.set(name, kept)
    return kept.health
  }

  const groups = upstreamGroups({ upstreams })
  const nodes = nodesOf(upstreams)
  return endpoints.map((endpoint, i) => {
    const { tier, weight, price, methods, budget } = namedUpstream(upstreams[i]!, i)
    return createCandidate({
      endpoint,
      health: healthOf(endpoint.name),
      node: nodes[i],
      slots,
      tier,
      weight,
      price,
      groups: groups[i],
      methods,
      spend: budget && spendOf(endpoint.name, budget),
    })
  })
}
