import {
  createPendingTransactions,
  type FiltersOptions,
  type PendingReaders,
  type PendingTransactions,
} from '@wayleave/evm-events'
import type { Clock, RpcContext, RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { FairShare, Position, Turns } from '@wayleave/upstream'
import type { NetworkKind } from '../kinds/network-kind.ts'
import { askElsewhere } from '../hints/excluded-upstreams.ts'
import type { PendingSource } from '../upstreams/view-opener.ts'
import type { OpenFilters } from './filter-stores.ts'

/** The bounds and rules of those who hold filters. */
export interface FilterRules {
  /** The filters of the whole process, by project. */
  readonly shares: FairShare
  /** Returns the most filters that the project of a call may have on the network, over all processes that share the store; undefined: any number. */
  readonly mostOf: NonNullable<FiltersOptions['mostOf']>
  /** Checks the call that made a filter again wherever the filter is used: gives its refusal, if any. */
  readonly refusalOf: NonNullable<FiltersOptions['refusalOf']>
  /** Makes an id that nobody can guess. */
  readonly newId: () => string
}

export interface FilterStageOptions extends OpenFilters, FilterRules {
  /** Serves the calls for filters. */
  readonly serve: NonNullable<NetworkKind['filters']>['serve']
  /** Called with the project that may have no further filter. */
  readonly onRefused: (project: string) => void
  readonly counts: FilterCounts
  /** Finds the head; undefined where none is followed. */
  readonly headToPin: ((context: RpcContext) => Promise<Position>) | undefined
  /** The groups whose upstreams may be asked for calls of a tenant; undefined: all may. */
  readonly groupsOf: (tenant: string | undefined) => readonly string[] | undefined
  /** Whether the headers of the chain say which logs its blocks have. */
  readonly hasCompleteBlooms: boolean
  /** Whether any upstream carries subscriptions. */
  readonly canPush: boolean
  /** Tells pending transactions. Default: an upstream pushes them to this process. */
  readonly pending?: PendingSource | undefined
  /** The processes that share the filters. Default: this one is alone. */
  readonly readers?: PendingReaders | undefined
  readonly turns: Turns
  readonly clock: Clock
}

export interface FilterCounts {
  /** Counts the filters of a project, a long one as several. */
  filters(project: string, change: number): void
}

/** Cost of a call for a filter, in units of {@link Turns}: it reads and writes the store, and a database in a file blocks the thread. */
const callCost = 16

/** Serves the filters of a network, over upstreams alone that the filter's project may ask. */
export interface FilterStage {
  readonly stage: RpcMiddleware<RpcContext>
  /** The pending transactions that upstreams push to this process; undefined where none can. */
  readonly pending: PendingSource | undefined
  close(): void
}

export function createFilterStage(options: FilterStageOptions): FilterStage {
  const { serve, store, known, shares, mostOf, refusalOf, onRefused, newId, headToPin, groupsOf, canPush } = options
  const { hasCompleteBlooms, counts, turns, clock } = options
  let pending: PendingTransactions | undefined
  /** The filters that count here, by project. */
  const counted = new Map<string | undefined, number>()
  const share: FiltersOptions['share'] = {
    take(project, amount) {
      const isTaken = shares.take(project, amount)
      if (!isTaken) return false
      counted.set(project, (counted.get(project) ?? 0) + amount)
      counts.filters(project ?? '', amount)
      return true
    },
    give(project, amount) {
      const left = counted.get(project)! - amount
      if (left > 0) counted.set(project, left)
      else counted.delete(project)
      counts.filters(project ?? '', -amount)
      shares.give(project, amount)
    },
  }
  // The head of the network may be one that the upstreams of a group do not have.
  const headOf: FiltersOptions['headOf'] = (context) =>
    groupsOf(context.tenant) === undefined ? headToPin?.(context) : undefined
  return {
    get pending() {
      return pending?.changes
    },
    stage(next) {
      const shareOf = ({ tenant }: Pick<RpcContext, 'tenant'>): string => groupsOf(tenant)?.join(' ') ?? ''
      if (canPush && options.pending === undefined)
        pending = createPendingTransactions({ ask: next, clock, newId, shareOf, readers: options.readers })
      const served = serve({
        clock,
        headOf,
        store,
        known,
        newId,
        shareOf,
        hasCompleteBlooms,
        elsewhere: askElsewhere,
        share,
        mostOf,
        onRefused: (project = '') => onRefused(project),
        refusalOf,
        pending: canPush ? (options.pending ?? pending?.changes) : undefined,
      })
      const inTurn = served(next)
      return (request, context) => {
        const turn = turns.take(context.tenant, callCost)
        return turn === undefined ? inTurn(request, context) : turn.then(() => inTurn(request, context))
      }
    },
    close() {
      pending?.close()
      for (const [project, amount] of counted) {
        counts.filters(project ?? '', -amount)
        shares.give(project, amount)
      }
      counted.clear()
    },
  }
}
