import type { ClockChain } from './clock-chain.ts'
import { isMatch, type LogFilter } from './log-match.ts'

interface NodeFilter {
  readonly criteria: LogFilter | undefined
  next: number
}

export interface NodeFiltersOptions {
  readonly chain: ClockChain
  readonly headOf: () => number
  readonly idOf: () => string
}

/** Filters as a node keeps them: in memory, gone with its process. */
export function createNodeFilters({ chain, headOf, idOf }: NodeFiltersOptions) {
  const filters = new Map<string, NodeFilter>()

  function changes(filter: NodeFilter): readonly unknown[] {
    const found: unknown[] = []
    for (; filter.next <= headOf(); filter.next++) {
      const { header, logs } = chain.block(filter.next)
      if (filter.criteria === undefined) found.push(header.hash)
      else for (const log of logs) if (isMatch(filter.criteria, log)) found.push(log)
    }
    return found
  }

  return {
    /** Answers a call; undefined where the method is of another kind. */
    answer(method: string, [first]: readonly unknown[]): unknown {
      switch (method) {
        case 'eth_newFilter':
        case 'eth_newBlockFilter': {
          const id = idOf()
          const criteria = method === 'eth_newFilter' ? ((first ?? {}) as LogFilter) : undefined
          filters.set(id, { criteria, next: headOf() + 1 })
          return id
        }
        case 'eth_getFilterChanges': {
          const filter = filters.get(String(first))
          return filter === undefined ? 'not found' : changes(filter)
        }
        case 'eth_uninstallFilter':
          return filters.delete(String(first))
        default:
          return undefined
      }
    },
  }
}
