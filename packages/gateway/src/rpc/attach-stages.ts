import type { FairShare } from '@wayleave/upstream'
import type { VerificationLevel } from '@wayleave/evm-verify'
import type { PinnedNetwork } from '@wayleave/network/config'
import {
  type AttachedStage,
  createPresentChain,
  type FollowedChain,
  hasCompleteBlooms,
  type NetworkKind,
  type NetworkLife,
  type ProjectUpstreams,
  streamSubscriptions,
  type SubscriptionsOptions,
  type ViewOpener,
} from '@wayleave/network'
import type { Metrics, NetworkMetrics } from '../telemetry/metrics.ts'
import { createFilterStage, type FilterStage, type FilterStageOptions } from './filter-stage.ts'

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
  readonly noteDenial: FilterStageOptions['rules']['noteDenial']
  /** The filters of the whole process, by project. */
  readonly filters: FairShare
  readonly metrics: Pick<Metrics, 'budgetRefused'>
  /** Of the network. */
  readonly counts: Pick<NetworkMetrics, 'filters' | 'relays'>
  readonly metering: { readonly maxFiltersOf?: FilterStageOptions['maxFiltersOf'] }
  readonly newFilterId: () => string
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
  const groupsOf: NetworkLife['groupsOf'] = (lane) => life.groupsOf(lane)

  let made: FilterStage | undefined
  const filters =
    kind.filters &&
    life.filters.attach(JSON.stringify([...identity, canPush]), () => {
      made = createFilterStage({
        ...life.openFilters,
        serve: kind.filters!.serve,
        rules: { addressesOf: kind.addressesOf, noteDenial: options.noteDenial },
        shares: options.filters,
        maxFiltersOf: options.metering.maxFiltersOf,
        onRefused: (project) => options.metrics.budgetRefused('maxFilters', project),
        metrics: options.counts,
        newId: options.newFilterId,
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
