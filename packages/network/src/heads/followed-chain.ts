import type { SyncProgress } from '@wayleave/evm-events'
import type { RpcContext } from '@wayleave/jsonrpc-core'
import type { Candidate, ChainView, Position } from '@wayleave/upstream'
import type { Chain } from './chain.ts'

/** The chain of a network as subscriptions are made from it. */
export interface FollowedChain {
  readonly view: Pick<ChainView, 'head' | 'header' | 'wanted' | 'watch'>
  /** Finds the head, by the word of an upstream where the view may be old. */
  readonly headToPin: (context: RpcContext) => Promise<Position>
  /** Takes note that callers are told the served head; resolves when all replicas know. Undefined: there are none. */
  reportHead(): Promise<unknown> | undefined
  /** The progress towards the highest head while no upstream of these groups stands good; undefined otherwise. Default: of any. */
  progress(groups?: readonly string[]): SyncProgress | undefined
}

/** Joins a chain to the function that finds its head; undefined where one is missing. */
export function followedChain(
  chain: Chain | undefined,
  headToPin: FollowedChain['headToPin'] | undefined,
  candidates: readonly Pick<Candidate, 'endpoint' | 'groups'>[],
): FollowedChain | undefined {
  if (chain === undefined || headToPin === undefined) return undefined
  const { view, reportHead } = chain
  return {
    view,
    headToPin,
    reportHead,
    progress(wanted) {
      let highest = -1
      for (const { endpoint, groups } of candidates) {
        if (wanted?.some((group) => groups.has(group)) === false) continue
        const { health, head } = view.of(endpoint)
        if (health === 'good') return undefined
        highest = Math.max(highest, head?.number ?? -1)
      }
      const current = view.head?.number ?? 0
      return highest > current ? { startingBlock: current, currentBlock: current, highestBlock: highest } : undefined
    },
  }
}
