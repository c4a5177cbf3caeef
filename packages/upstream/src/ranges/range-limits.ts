import type { Clock, RpcErrorObject, RpcRequest } from '@wayleave/jsonrpc-core'
import { type AskedRange, blocksOf, type RangeReason, type RangeRefusal } from './asked-range.ts'
import { type BlockLimit, createBlockLimit } from './block-limit.ts'
import { createRefusedIntervals, type RefusedIntervals } from './refused-intervals.ts'

export interface RangeLimitsOptions {
  /** The range of blocks that a call asks for; undefined: none, or it is not known. Called only for upstreams that have refused one. */
  readonly rangeOf: (request: RpcRequest) => AskedRange | undefined
  /** The knowledge of each upstream, by name; it is added to. Handed to another pool, it goes on there. Default: there is none. */
  readonly known?: Map<string, KnownRanges> | undefined
  readonly clock: Clock
}

/** The limit of an upstream that speaks against a call. */
export interface KnownLimit {
  /** Most blocks of a range that starts where the call's does. */
  readonly blocks: number
  /** `blocks`: whatever is searched for; `results`: of this search. */
  readonly of: 'blocks' | 'results'
  /** Whether the upstream told the number; else it is a guess from what it refused and what it answered. */
  readonly isReported: boolean
  /** The upstream's error, where it has refused this very range. */
  readonly words: RpcErrorObject | undefined
}

/**
 * The ranges of blocks, and of results, that each upstream of a pool allows, as it has shown. Kept in this process: at most 500 searches
 * of an upstream, and a few numbers for each kind of range. What was refused is tried again after ten minutes, then after 20, at last
 * after 160; what failed without a word, after two.
 */
export interface RangeLimits {
  /** Whether nothing is known of any upstream, so that no call need be looked at. */
  readonly isEmpty: boolean
  /** Why an upstream is not asked like the others for a call: it would refuse its range, or may. */
  reason(upstream: string, request: RpcRequest): RangeReason | undefined
  /**
   * Returns the most blocks to ask an upstream for at once from the start of a call's range on, at least 1, however long that range
   * is; undefined: no limit is known. Where an upstream refuses without a number, it is a guess that becomes better.
   */
  mostBlocks(upstream: string, request: RpcRequest): number | undefined
  /** Returns the limit that {@link mostBlocks} tells, and where it is from. */
  limitOf(upstream: string, request: RpcRequest): KnownLimit | undefined
  /** Takes note of a call that is sent. */
  began(upstream: string, request: RpcRequest): void
  /** Takes note of a call that was answered. */
  passed(upstream: string, request: RpcRequest): void
  /** Takes note of a refusal. */
  refused(upstream: string, request: RpcRequest, refusal: RangeRefusal): void
  /** Takes note of a call that got no answer, perhaps because of its range: the connection was closed, or nothing came. */
  failed(upstream: string, request: RpcRequest): void
}

/** The limits that one upstream has shown. */
export interface KnownRanges {
  /** By kind of range. */
  readonly blocks: Map<string, BlockLimit>
  readonly intervals: RefusedIntervals
}

/** Creates the record of upstreams. */
export function createRangeLimits(options: RangeLimitsOptions): RangeLimits {
  const { rangeOf, known: upstreams = new Map<string, KnownRanges>(), clock } = options

  function limitFor(upstream: string, kind: string): BlockLimit {
    const { blocks } = known(upstream)
    const limit = blocks.get(kind) ?? createBlockLimit()
    blocks.set(kind, limit)
    return limit
  }

  function known(upstream: string): KnownRanges {
    const found = upstreams.get(upstream) ?? { blocks: new Map(), intervals: createRefusedIntervals() }
    upstreams.set(upstream, found)
    return found
  }

  function limitOf(upstream: string, request: RpcRequest): KnownLimit | undefined {
    const found = upstreams.get(upstream)
    const range = found && rangeOf(request)
    if (range === undefined) return undefined
    const now = clock.now()
    const byBlocks = [range.kind, range.easier ?? ''].flatMap((kind) => found!.blocks.get(kind)?.most(now) ?? [])
    const [least] = byBlocks.toSorted((a, b) => a.blocks - b.blocks)
    const byResults = found!.intervals.most(range, now)
    if (byResults !== undefined && byResults.blocks < (least?.blocks ?? Number.POSITIVE_INFINITY))
      return { ...byResults, of: 'results', isReported: false }
    return least && { ...least, of: 'blocks', words: undefined }
  }

  return {
    get isEmpty() {
      return upstreams.size === 0
    },
    reason(upstream, request) {
      const found = upstreams.get(upstream)
      const range = found && rangeOf(request)
      if (range === undefined) return undefined
      const { kind, easier } = range
      const { blocks, intervals } = found!
      const now = clock.now()
      const count = blocksOf(range)
      const byBlocks = blocks.get(kind)?.reason(count, now)
      if (byBlocks === 'range_too_large') return byBlocks
      const byEasier = easier === undefined ? undefined : blocks.get(easier)?.reason(count, now)
      if (byEasier === 'range_too_large') return byEasier
      return intervals.reason(range, now) ?? byBlocks ?? byEasier
    },
    mostBlocks: (upstream, request) => limitOf(upstream, request)?.blocks,
    limitOf,
    began(upstream, request) {
      const found = upstreams.get(upstream)
      const range = found && rangeOf(request)
      if (range === undefined) return
      const now = clock.now()
      for (const kind of [range.kind, range.easier ?? '']) found!.blocks.get(kind)?.began(blocksOf(range), now)
      found!.intervals.began(range, now)
    },
    passed(upstream, request) {
      const found = upstreams.get(upstream)
      const range = found && rangeOf(request)
      if (range === undefined) return
      for (const kind of [range.kind, range.easier ?? '']) found!.blocks.get(kind)?.passed(blocksOf(range))
      found!.intervals.passed(range)
    },
    refused(upstream, request, refusal) {
      const range = rangeOf(request)
      if (range === undefined) return
      const { of, most } = refusal
      const count = range.isCut ? Number.POSITIVE_INFINITY : blocksOf(range)
      // A refusal for its blocks that names no number may be one of its results.
      if ((of !== 'blocks' || (most === undefined && count > 1)) && !range.isCut)
        known(upstream).intervals.refused(range, refusal, clock.now())
      // It is not known how many were too many where nodes count them by either end.
      if (range.isCut && most === undefined) return
      // Too many blocks cannot be the reason where there is but one.
      const isSure = of === 'blocks' && count > 1
      if (isSure) limitFor(upstream, range.kind).refused(count, most, clock.now())
      else if (of !== 'results') limitFor(upstream, range.kind).doubted(count, clock.now())
    },
    failed(upstream, request) {
      const range = rangeOf(request)
      if (range === undefined || range.isCut || blocksOf(range) < 2) return
      known(upstream).intervals.refused(range, undefined, clock.now())
      limitFor(upstream, range.kind).doubted(blocksOf(range), clock.now())
    },
  }
}
