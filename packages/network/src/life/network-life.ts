import type { SharedUses, SharedView } from '@wayleave/stores/shared-state'
import type { Spend } from '@wayleave/upstream'
import { type AnswerSources, createAnswerSources } from './answer-sources.ts'
import type { OpenFilters } from '../filters/filter-stores.ts'
import type { KeptUpstreams } from '../upstreams/kept-upstreams.ts'
import type { RewrittenChain } from '../heads/rewritten-chains.ts'
import { createStageSlot, type StageSlot } from './stage-slot.ts'
import type { PresentChain } from '../streams/present-chain.ts'
import type { PendingSource } from '../upstreams/view-opener.ts'

/** The parts of a network that stay while its configuration changes: what its callers were told and what they have open. */
export interface NetworkLife {
  readonly reported: SharedView
  readonly openFilters: OpenFilters
  /** The processes that share the filters; undefined where this one is alone. */
  readonly readers: SharedUses | undefined
  /** The units that were spent, by upstream and budget. */
  readonly spends: Map<string, Spend>
  /** The endpoints of the network that is there; undefined before the first. */
  upstreams: KeptUpstreams | undefined
  readonly filters: StageSlot
  /** The pending transactions that upstreams push for filters; undefined where none can. */
  pending: PendingSource | undefined
  readonly streams: StageSlot
  /** The chain that streams are made from; undefined where none was followed yet. */
  chain: PresentChain | undefined
  /** The groups whose upstreams may be asked for calls of a tenant, as they are at the moment; undefined: all may. */
  groupsOf: (tenant: string | undefined) => readonly string[] | undefined
  /** Whether any upstream carries subscriptions at the moment. */
  canPush: boolean
  readonly rewritten: RewrittenChain
  /** The upstreams that gave the answers that the cache keeps. */
  readonly sources: AnswerSources
  /** Told of each write that an upstream has taken, also in a network that was replaced. `isReset`: it may have changed blocks that were final. */
  readonly written: Set<(tenant: string | undefined, isReset: boolean) => void>
}

export function createNetworkLife(
  reported: SharedView,
  openFilters: OpenFilters,
  readers: SharedUses | undefined,
  rewritten: RewrittenChain,
): NetworkLife {
  return {
    reported,
    openFilters,
    readers,
    spends: new Map(),
    upstreams: undefined,
    filters: createStageSlot(),
    pending: undefined,
    streams: createStageSlot(),
    chain: undefined,
    groupsOf: () => undefined,
    canPush: false,
    rewritten,
    sources: createAnswerSources(),
    written: new Set(),
  }
}

/** Ends what callers hold. */
export function closeLife({ streams, filters }: NetworkLife): void {
  filters.close()
  streams.close()
}
