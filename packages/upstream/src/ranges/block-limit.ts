import type { RangeReason } from './asked-range.ts'
import { createHold } from './hold.ts'

/** The most blocks of one kind of range that an upstream allows, as far as it is known: from its words, else from what it refused. */
export interface BlockLimit {
  /** Why a range of so many blocks is not asked for like others: only a limit that was told puts the upstream out. */
  reason(blocks: number, now: number): RangeReason | undefined
  /** Takes note of a call that is sent although {@link reason} once spoke against it. */
  began(blocks: number, now: number): void
  /** Takes note of a range that was answered. */
  passed(blocks: number): void
  /** Takes note of a range that was refused for its blocks; without a number it may be for another reason. `most`: as told. */
  refused(blocks: number, most: number | undefined, now: number): void
  /** Takes note of a range that failed, perhaps for its blocks. */
  doubted(blocks: number, now: number): void
  /** The most blocks to ask for; undefined: no limit is known. */
  most(now: number): { readonly blocks: number; readonly isReported: boolean } | undefined
}

/** Time for which a refusal counts, in ms. */
export const refusedForMs = 600_000
/** Time for which a failure without a word counts, in ms. */
export const doubtedForMs = 120_000
/** Refusals without a number after which only what has passed is asked for, if others can be asked. */
const enough = 2
/** Refusals within a limit that was told, after which numbers are not believed. */
const mostContradictions = 2

/** Creates the record of an upstream of which nothing is known. */
export function createBlockLimit(): BlockLimit {
  /** The most blocks that were answered, less than `refused`. */
  let passed = 0
  /** The fewest blocks that were refused. */
  let refused = Number.POSITIVE_INFINITY
  let refusals = 0
  /** The limit in the upstream's words, while nothing contradicts it. */
  let reported: number | undefined
  let contradictions = 0
  /** The fewest blocks that failed without a word, and were not answered since. */
  let doubted = Number.POSITIVE_INFINITY
  let doubts = 0
  const refusal = createHold(refusedForMs)
  const doubt = createHold(doubtedForMs)

  /** Nodes count the first block or do not: one more than what was told may pass. */
  const isRefused = (blocks: number): boolean => blocks >= refused || (reported !== undefined && blocks > reported + 1)

  return {
    reason(blocks, now) {
      const isKnown = refusal.lasts(now)
      if (isKnown && isRefused(blocks)) return reported === undefined ? 'range_doubtful' : 'range_too_large'
      if (isKnown && reported !== undefined) return undefined
      const failures = (isKnown ? refusals : 0) + (doubt.lasts(now) ? doubts : 0)
      return failures >= enough && blocks > passed ? 'range_doubtful' : undefined
    },
    began(blocks, now) {
      if (isRefused(blocks) && !refusal.lasts(now)) refusal.tried(now)
      if (doubts >= enough && blocks > passed && !doubt.lasts(now)) doubt.tried(now)
    },
    passed(blocks) {
      if (blocks > passed) passed = blocks
      if (blocks >= doubted) {
        doubted = Number.POSITIVE_INFINITY
        doubts = 0
      }
      if (!isRefused(blocks)) return
      refused = Number.POSITIVE_INFINITY
      reported = undefined
      refusals = 0
    },
    refused(blocks, most, now) {
      // It was not for its blocks where as many have passed.
      if (most === undefined && blocks <= passed) return
      const isUsable = most !== undefined && most < blocks
      if ((most !== undefined && !isUsable) || (reported !== undefined && blocks <= reported)) contradictions++
      reported = isUsable && contradictions < mostContradictions ? most : undefined
      refused = Math.min(refused, blocks)
      passed = Math.min(passed, blocks - 1)
      refusals++
      refusal.begin(now)
    },
    doubted(blocks, now) {
      // It was not for its blocks where as many have passed.
      if (blocks <= passed) return
      doubted = Math.min(doubted, blocks)
      doubts++
      doubt.begin(now)
    },
    most(now) {
      if (refusal.lasts(now) && reported !== undefined) return { blocks: reported, isReported: true }
      const bound = Math.min(
        refusal.lasts(now) ? refused : Number.POSITIVE_INFINITY,
        doubt.lasts(now) && doubts >= enough ? doubted : Number.POSITIVE_INFINITY,
      )
      if (bound === Number.POSITIVE_INFINITY) return undefined
      // In the middle by orders of magnitude, until it is known within a factor of two.
      const least = Math.max(1, passed)
      return { blocks: bound <= 2 * least ? least : Math.floor(Math.sqrt(least * bound)), isReported: false }
    },
  }
}
