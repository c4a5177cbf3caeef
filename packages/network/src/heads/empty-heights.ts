import type { Header } from '@wayleave/upstream'
import type { HistoryKind } from '../kinds/history-kind.ts'

/** The heights at which a chain made no block: some chains skip them, and nodes answer null for them. */
export interface EmptyHeights {
  /** Learns a block that was told: heights between it and its parent are empty. `isServed`: it is of the served chain, and not the word of one upstream. */
  learn(header: Header, isServed: boolean): void
  /** Forgets what was learnt, as the chain has left its blocks. */
  clear(): void
  /** Makes a history in which to have found nothing at a height that may be empty is no lack: far below the head, on a chain that has such, any may be. */
  allowedIn(history: HistoryKind): HistoryKind
}

export interface EmptyHeightsOptions {
  /** The height of a block that was told of late, by its hash. */
  readonly heightOf: (hash: string) => number | undefined
  /** The highest block that callers were told of; undefined while none is known. */
  readonly served: () => number | undefined
}

/** Heights that are remembered, and blocks below the head from which on none is remembered. */
const mostRemembered = 256
const farBelow = 64

export function createEmptyHeights({ heightOf, served }: EmptyHeightsOptions): EmptyHeights {
  const heights = new Set<number>()
  let hasSome = false
  const mayBe = (height: number): boolean => heights.has(height) || (hasSome && height < (served() ?? 0) - farBelow)
  return {
    learn({ number, parentHash }, isServed) {
      heights.delete(number)
      const parent = parentHash === undefined ? undefined : heightOf(parentHash)
      if (parent === undefined || number - parent > mostRemembered) return
      for (let height = parent + 1; height < number; height++) {
        hasSome ||= isServed
        heights.add(height)
        if (heights.size > mostRemembered) heights.delete(heights.values().next().value!)
      }
    },
    clear: () => heights.clear(),
    allowedIn: (history) => ({
      ...history,
      reads(request) {
        const read = history.reads(request)
        if (!hasSome && heights.size === 0) return read
        const isNone = read !== undefined && 'block' in read && read.isCertain && mayBe(read.block)
        return isNone ? { ...read, isCertain: false } : read
      },
    }),
  }
}
