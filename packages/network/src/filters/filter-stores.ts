import { createMemoryFilterStore, type FilterStore, type StoredFilter } from '@wayleave/evm-events'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { FilterTable, RedisStores } from '@wayleave/stores'
import { errorClass, type Log } from '@wayleave/telemetry'
import { guardFilterStore } from './guard-filter-store.ts'

/** The place where the filters of the gateway live. */
export interface FilterStores {
  /** Opens the filters of a network, by its `chainKey`. Never rejects, and takes seconds at most. */
  open(network: string): Promise<OpenFilters>
  close(): void
}

/** The filters of a network. */
export interface OpenFilters {
  readonly store: FilterStore
  /** Those that lived at the start, as far as they could be read. */
  readonly known: readonly StoredFilter[]
}

export interface FilterStoresOptions {
  /** Goes before `store`. */
  readonly redis?: Pick<RedisStores, 'filters'> | undefined
  /** The database; without either, filters end with this process. */
  readonly store?: { readonly filters: FilterTable | undefined }
  readonly limits: { readonly maxFilters: number }
  readonly clock: Clock
  readonly log: Log
}

/** Time between two looks for expired filters in the database, in ms. Redis and memory drop theirs by themselves. */
const pruneEveryMs = 60_000

/** Opens the store of the filters. */
export function openFilterStores({ redis, store: database, limits, clock, log }: FilterStoresOptions): FilterStores {
  const table = redis === undefined ? database?.filters : undefined
  let isClosed = false
  let stopPruning = (): void => {}

  function failed(doing: string, thrown: unknown): void {
    const code = (thrown as { readonly code?: unknown } | undefined)?.code ?? errorClass(thrown)
    if (code !== 'store_gone' && code !== 'unavailable')
      log.repeats.warn(['filters', doing], { code }, `the store failed at ${doing} filters`)
  }

  function pruneLater(own: FilterTable): void {
    stopPruning = clock.after(pruneEveryMs, () => {
      void own
        .prune(clock.date())
        .catch((thrown: unknown) => failed('removing', thrown))
        .finally(() => {
          if (!isClosed) pruneLater(own)
        })
    })
  }

  if (table !== undefined) pruneLater(table)
  return {
    async open(network) {
      const store = redis?.filters(network) ?? (table && ofNetwork(table, network))
      if (store === undefined) return { store: createMemoryFilterStore(clock), known: [] }
      const known = await store.list(clock.date(), limits.maxFilters).catch((thrown: unknown) => {
        failed('reading', thrown)
        return []
      })
      return { store: guardFilterStore(store, network, log), known }
    },
    close() {
      isClosed = true
      stopPruning()
    },
  }
}

function ofNetwork(table: FilterTable, network: string): ReturnType<RedisStores['filters']> {
  return {
    get: (id) => table.get(network, id),
    put: (...asked) => table.put(network, ...asked),
    remove: (id) => table.remove(network, id),
    list: (now, limit) => table.list(network, now, limit),
  }
}
