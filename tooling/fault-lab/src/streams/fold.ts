import type { Chain } from '../world/chain.ts'
import type { Block } from '../world/evm/block.ts'

/** The parts of a chain that streams are held against. */
export type ReportedChain = Pick<Chain, 'heads' | 'byHash'>

/** A fault in what a caller was told. */
export interface Finding {
  readonly kind: 'gap' | 'duplicate' | 'order'
  /** Virtual ms. */
  readonly at: number
  readonly text: string
}

/** The chain, with the times of its blocks. */
export interface Timeline {
  byHash(hash: string): Block | undefined
  /** When a block came to be, in virtual ms; before the run: -1. */
  bornAt(block: Block): number
  /** The heads that the chain had in a span of virtual ms. */
  headsIn(from: number, to: number): readonly Block[]
}

const timelines = new WeakMap<Chain['heads'], Timeline>()

/** Makes the timeline of a chain, once it has ended. */
export function timelineOf({ heads, byHash }: ReportedChain): Timeline {
  const known = timelines.get(heads)
  if (known !== undefined) return known
  const times = new Map<string, number>()
  for (const { at, block } of heads.slice(1)) times.set(block.hash, at)
  const timeline: Timeline = {
    byHash,
    bornAt: ({ hash }) => times.get(hash) ?? -1,
    headsIn: (from, to) =>
      heads
        .filter(({ at }, i) => at <= to && (heads[i + 1]?.at ?? Number.POSITIVE_INFINITY) >= from)
        .map(({ block }) => block),
  }
  timelines.set(heads, timeline)
  return timeline
}

/** The span in which a caller's last state must have been the chain's, in virtual ms. */
export interface Until {
  readonly from: number
  readonly to: number
}

/** The start of a stream: the blocks that came to be after a moment, or a height. */
export interface Start {
  readonly at: number
  readonly fromBlock: number | undefined
}

/** Whether a stream did not have to tell a block, as it lies before its start. */
export function isBefore({ at, fromBlock }: Start, block: Block, { bornAt }: Timeline): boolean {
  // A reorganisation may replace blocks below the first one: they are told.
  return bornAt(block) <= at && (fromBlock === undefined || block.number < fromBlock)
}

/** The start of a stream whose first told block came to be before it: told late, and with all that followed. */
export function startAt(start: Start, first: Block, { bornAt }: Timeline): Start {
  const born = bornAt(first)
  return born > start.at ? start : { at: born, fromBlock: first.number }
}
