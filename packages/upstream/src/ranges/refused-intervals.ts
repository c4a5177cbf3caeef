import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { type AskedRange, blocksOf, type RangeReason, type RangeRefusal } from './asked-range.ts'
import { doubtedForMs, refusedForMs } from './block-limit.ts'
import { createHold, type Hold } from './hold.ts'

/** The stretches of blocks that had too many results for an upstream, by what was searched for. */
export interface RefusedIntervals {
  /** Why a range is not asked for: it contains such a stretch. */
  reason(range: AskedRange, now: number): RangeReason | undefined
  /** Takes note of a call that is sent although {@link reason} once spoke against it. */
  began(range: AskedRange, now: number): void
  passed(range: AskedRange): void
  /** `refusal` undefined: it failed without a word. */
  refused(range: AskedRange, refusal: RangeRefusal | undefined, now: number): void
  /** The most blocks to ask for from the start of a range, and what was said when this very range was refused. */
  most(
    range: AskedRange,
    now: number,
  ): { readonly blocks: number; readonly words: RpcErrorObject | undefined } | undefined
}

interface Interval {
  readonly from: number
  readonly to: number
  readonly isDoubtful: boolean
  /** Blocks that the upstream proposed; undefined where it did not. */
  readonly proposed: number | undefined
  readonly words: RpcErrorObject | undefined
  readonly hold: Hold
}

/** Searches that are remembered, of one upstream. */
const mostKeys = 500
/** Stretches that are remembered, of one search. */
const mostIntervals = 4
/** Longest words that are kept for callers, in characters. */
const longestWords = 300

/** Creates the record of one upstream. The search that was refused longest ago is forgotten first. */
export function createRefusedIntervals(): RefusedIntervals {
  const searches = new Map<string, readonly Interval[]>()

  function find(range: AskedRange, now: number): Interval | undefined {
    const held = searches.get(range.key)?.filter((it) => contains(range, it) && it.hold.lasts(now))
    return held?.find(({ isDoubtful }) => !isDoubtful) ?? held?.[0]
  }

  function put(key: string, intervals: readonly Interval[]): void {
    searches.delete(key)
    if (intervals.length > 0) searches.set(key, intervals)
    if (searches.size > mostKeys) searches.delete(searches.keys().next().value!)
  }

  return {
    reason(range, now) {
      const found = find(range, now)
      return found && (found.isDoubtful ? 'range_doubtful' : 'range_too_large')
    },
    began(range, now) {
      for (const it of searches.get(range.key) ?? []) if (contains(range, it) && !it.hold.lasts(now)) it.hold.tried(now)
    },
    passed(range) {
      const intervals = searches.get(range.key)
      if (intervals?.some((it) => contains(range, it)) !== true) return
      put(
        range.key,
        intervals.filter((it) => !contains(range, it)),
      )
    },
    refused(range, refusal, now) {
      const { from, to, key } = range
      const isDoubtful = refusal === undefined
      const before = searches.get(key) ?? []
      // A wider stretch says nothing more, unless it is the surer one.
      const kept = before.filter((it) => !contains(it, range) || (isDoubtful && !it.isDoubtful))
      const hold =
        before.find((it) => it.from === from && it.to === to && it.isDoubtful === isDoubtful)?.hold ??
        createHold(isDoubtful ? doubtedForMs : refusedForMs)
      hold.begin(now)
      const { proposed, words } = refusal ?? {}
      const interval = {
        from,
        to,
        isDoubtful,
        // Some propose what they have refused.
        proposed: proposed && blocksOf(proposed) < blocksOf(range) ? blocksOf(proposed) : undefined,
        words: words && words.message.length <= longestWords ? { code: words.code, message: words.message } : undefined,
        hold,
      }
      put(key, [...kept, interval].slice(-mostIntervals))
    },
    most(range, now) {
      const found = find(range, now)
      if (found === undefined) return undefined
      const { from, to, proposed } = found
      const words = from === range.from && to === range.to ? found.words : undefined
      // What stands before the stretch may pass, and half of it.
      return { blocks: Math.max(1, proposed ?? Math.floor(blocksOf(found) / 2)), words }
    },
  }
}

interface Ends {
  readonly from: number
  readonly to: number
}

const contains = (outer: Ends, inner: Ends): boolean => outer.from <= inner.from && inner.to <= outer.to
