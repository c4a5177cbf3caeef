import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { type AskedRange, blocksOf, type RangeReason, type RangeRefusal } from './asked-range.ts'
import { type BlockLimit, createBlockLimit, doubtedForMs, refusedForMs } from './block-limit.ts'
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

/** All that is known of one search. */
interface Search {
  intervals: readonly Interval[]
  /** The lengths of ranges that had too many results: others as long may have, too. */
  readonly lengths: BlockLimit
}

/** Searches that are remembered, of one upstream. */
const mostKeys = 500
/** Stretches that are remembered, of one search. */
const mostIntervals = 4
/** Longest words that are kept for callers, in characters. */
const longestWords = 300

/** Creates the record of one upstream. The search that was refused longest ago is forgotten first. */
export function createRefusedIntervals(): RefusedIntervals {
  const searches = new Map<string, Search>()

  function find(range: AskedRange, now: number): Interval | undefined {
    const held = searches.get(range.key)?.intervals.filter((it) => contains(range, it) && it.hold.lasts(now))
    return held?.find(({ isDoubtful }) => !isDoubtful) ?? held?.[0]
  }

  /** Returns the record of a search as the last one to be forgotten. */
  function renew(key: string): Search {
    const search = searches.get(key) ?? { intervals: [], lengths: createBlockLimit() }
    searches.delete(key)
    searches.set(key, search)
    if (searches.size > mostKeys) searches.delete(searches.keys().next().value!)
    return search
  }

  return {
    reason(range, now) {
      const found = find(range, now)
      if (found === undefined) return searches.get(range.key)?.lengths.reason(blocksOf(range), now)
      return found.isDoubtful ? 'range_doubtful' : 'range_too_large'
    },
    began(range, now) {
      const search = searches.get(range.key)
      if (search === undefined) return
      search.lengths.began(blocksOf(range), now)
      for (const it of search.intervals) if (contains(range, it) && !it.hold.lasts(now)) it.hold.tried(now)
    },
    passed(range) {
      const search = searches.get(range.key)
      if (search === undefined) return
      search.lengths.passed(blocksOf(range))
      if (search.intervals.some((it) => contains(range, it)))
        search.intervals = search.intervals.filter((it) => !contains(range, it))
    },
    refused(range, refusal, now) {
      const { from, to, key } = range
      const isDoubtful = refusal?.of !== 'results'
      const search = renew(key)
      const before = search.intervals
      // A wider stretch says nothing more, unless it is the surer one.
      const kept = before.filter((it) => !contains(it, range) || (isDoubtful && !it.isDoubtful))
      const hold =
        before.find((it) => it.from === from && it.to === to && it.isDoubtful === isDoubtful)?.hold ??
        createHold(refusal === undefined ? doubtedForMs : refusedForMs)
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
      search.intervals = [...kept, interval].slice(-mostIntervals)
      if (from < to && refusal?.of !== 'blocks') search.lengths.doubted(blocksOf(range), now)
    },
    most(range, now) {
      const found = find(range, now)
      const byLength = searches.get(range.key)?.lengths.most(now)?.blocks
      if (found === undefined) return byLength === undefined ? undefined : { blocks: byLength, words: undefined }
      const { from, to, proposed } = found
      // A shorter range than was refused may pass, as may half of it.
      const blocks = Math.max(1, proposed ?? byLength ?? Math.floor(blocksOf(found) / 2))
      return { blocks, words: from === range.from && to === range.to ? found.words : undefined }
    },
  }
}

interface Ends {
  readonly from: number
  readonly to: number
}

const contains = (outer: Ends, inner: Ends): boolean => outer.from <= inner.from && inner.to <= outer.to
