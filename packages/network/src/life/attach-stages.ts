import type { VerificationLevel } from '@wayleave/evm-verify'
import type { PinnedNetwork } from '../config/network-config.ts'
import {
  createFilterStage,
  type FilterRules,
  type FilterStage,
  type FilterStageOptions,
} from '../filters/filter-stage.ts'
import type { FollowedChain } from '../heads/followed-chain.ts'
import type { NetworkKind } from '../kinds/network-kind.ts'
import { createPresentChain } from '../streams/present-chain.ts'
import { streamSubscriptions, type SubscriptionsOptions } from '../streams/subscriptions.ts'
import type { ProjectUpstreams } from '../upstreams/project-upstreams.ts'
import type { ViewOpener } from '../upstreams/view-opener.ts'
import { hasCompleteBlooms } from '../verification/complete-blooms.ts'
import type { NetworkLife } from './network-life.ts'
import type { AttachedStage } from './stage-slot.ts'

export interface AttachStagesOptions extends Pick<FilterStageOptions, 'turns' | 'clock'> {
  readonly name: string
  readonly views?: Pick<ViewOpener, 'pending'> | undefined
  readonly kind: NetworkKind
  readonly config: PinnedNetwork
  readonly life: NetworkLife
  readonly projects: ProjectUpstreams
  readonly followed: FollowedChain | undefined
  /** The levels of its upstreams. */
  readonly verify: readonly { readonly verify: VerificationLevel }[]
  readonly checkLogs: SubscriptionsOptions['checkLogs']
  readonly canPush: boolean
  readonly filters: FilterRules
  /** Called with the project that may have no further filter. */
  readonly onRefusedFilter: FilterStageOptions['onRefused']
  readonly counts: FilterStageOptions['counts'] & {
    /** Counts a subscription of a node that is passed on to callers, opened or ended. */
    relays(change: 1 | -1): void
  }
}

/** The stages of a network that outlast it. */
export interface AttachedStages {
  /** Undefined where its kind has none. */
  readonly filters: AttachedStage | undefined
  /** Undefined where its subscriptions are those of an upstream. */
  readonly streams: AttachedStage | undefined
  /** Has them go on over this network. */
  activate(): void
  discard(): void
}

/** Attaches the stages of a network in which callers hold something. They go on from the network before where the chain, and what verifies it, are the same. */
export function attachStages(options: AttachStagesOptions): AttachedStages {
  const { kind, config, life, projects, followed, canPush, turns, clock } = options
  const chain = followed && (life.chain ??= createPresentChain(followed))
  const identity = [config.kind, config.chainId, followed !== undefined]
  const groupsOf: NetworkLife['groupsOf'] = (tenant) => life.groupsOf(tenant)

  let made: FilterStage | undefined
  const filters =
    kind.filters &&
    life.filters.attach(JSON.stringify([...identity, canPush]), () => {
      made = createFilterStage({
        ...life.openFilters,
        serve: kind.filters!.serve,
        ...options.filters,
        onRefused: options.onRefusedFilter,
        counts: options.counts,
        headToPin: chain && ((context) => chain.headToPin(context)),
        groupsOf,
        hasCompleteBlooms: hasCompleteBlooms(Number(config.chainId)),
        canPush,
        pending: options.views?.pending?.(options.name),
        readers: life.readers,
        turns,
        clock,
      })
      return made
    })
  const levels = [...new Set(options.verify.map(({ verify }) => verify))].toSorted()
  const streams =
    kind.streams && chain !== undefined
      ? life.streams.attach(JSON.stringify([...identity, levels, projects.reads(undefined)]), () =>
          streamSubscriptions({
            chain,
            groupsOf,
            checkLogs: options.checkLogs,
            onRelay: options.counts.relays,
            get canPush() {
              return life.canPush
            },
            clock,
          }),
        )
      : undefined

  return {
    filters,
    streams,
    activate() {
      life.groupsOf = projects.reads
      life.canPush = canPush
      if (filters === undefined) life.filters.close()
      else filters.activate()
      if (filters === undefined || made !== undefined) life.pending = made?.pending
      if (streams === undefined) life.streams.close()
      else streams.activate()
      if (followed !== undefined) life.chain!.present(followed)
    },
    discard() {
      filters?.discard()
      streams?.discard()
    },
  }
}
