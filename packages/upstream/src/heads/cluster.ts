import type { Ancestry } from './ancestry.ts'
import { type KnownBlocks, relationOf } from './known-blocks.ts'

/** An upstream as the rule of the served head sees it. */
export interface Voter extends Pick<Ancestry, 'hasParent' | 'linkTo'> {
  readonly name: string
  /** The chain that it tells; it has a head. */
  readonly blocks: KnownBlocks
  /** The time at which it told another head than before, in ms. */
  readonly movedAt: number
}

/** Upstreams that stand within a few blocks of each other, on one chain. */
export interface Cluster {
  readonly members: readonly Voter[]
  /** Heights of its lowest and its highest head. */
  readonly lowest: number
  readonly highest: number
}

/** The height of a voter's head. */
export function heightOf({ blocks }: Voter): number {
  return blocks.head!.number
}

/** Whether several upstreams answer, and none of an electorate has a height: all of them do not fall back by chance. */
export function areAllBelow(voters: readonly Voter[], electorate: number, height: number): boolean {
  return electorate > 1 && voters.length === electorate && voters.every((voter) => heightOf(voter) < height)
}

/** Whether so many votes are more than half of an electorate. */
export function isMajority(votes: number, electorate: number): boolean {
  return votes > 0 && votes * 2 > electorate
}

/**
 * Finds the largest cluster, of heads at most `width` blocks apart. Of two as large the higher one wins: callers gate heads that are
 * ahead of what is plausible, so the lower one lags.
 */
export function dominantCluster(voters: readonly Voter[], width: number): Cluster | undefined {
  let best: Cluster | undefined
  for (const voter of voters) {
    const lowest = heightOf(voter)
    const members = voters.filter((other) => {
      const height = heightOf(other)
      if (height < lowest || height > lowest + width) return false
      return other === voter || relationOf(voter.blocks, other.blocks) !== 'forked'
    })
    const lead = members.length - (best?.members.length ?? 0)
    if (best !== undefined && (lead < 0 || (lead === 0 && lowest <= best.lowest))) continue
    best = { members, lowest, highest: Math.max(...members.map(heightOf)) }
  }
  return best
}
