import { dominantCluster, heightOf, isMajority, type Voter } from './cluster.ts'
import { type KnownBlocks, relationOf } from './known-blocks.ts'
import type { Position } from './position.ts'
import { reachIn, stepOf } from './reach.ts'

/** Upstreams above the served head, and how they came there. */
export interface Jumps {
  /** The time since which a voter is above the served head, in ms; undefined: it is not. */
  aboveSince(name: string): number | undefined
  /** Whether a voter is doubted only until its node has given the parents of its head. */
  isAsked(name: string): boolean
  /** Records how far each voter is. */
  note(look: JumpLook): void
  /**
   * Finds voters that are further ahead than the chain can be; and, where an upstream of `healthy` has about the served head and no parents are
   * known to lead from there, those that jumped, or are more than one step of the chain ahead, and those that are ahead of the tolerated lag or
   * on another fork than that upstream and do not have the parents. Neither a majority that agrees is doubted, nor a voter that
   * goes on for long while the others make half of the chain's blocks at most.
   */
  doubted(look: DoubtLook, healthy: ReadonlySet<string>): ReadonlySet<Voter>
}

interface JumpLook {
  readonly voters: readonly Voter[]
  /** The served head. */
  readonly head: Position
  readonly lag: number
  readonly blockTimeMs: number
  readonly now: number
}

interface DoubtLook extends JumpLook {
  readonly electorate: number
  /** The time at which the head went on last, in ms. */
  readonly advancedAt: number
}

/** A voter as it was seen last. */
interface Seen {
  readonly height: number
  readonly at: number
  readonly aboveSince: number | undefined
  /** The moment when it became doubtful; undefined while it is not. A jump counts anew, and later jumps count from the first one. */
  readonly doubt: Doubt | undefined
}

/** The moment when a voter was further above the served head than one step of the chain, and what was known then. */
interface Doubt {
  readonly at: number
  /** The voter's height, and the served head's. */
  readonly height: number
  readonly headNumber: number
  /** The pace of the chain, in ms a block: the pace that is measured later is the one of the voters that stay behind. */
  readonly blockTimeMs: number
  /** Blocks by which the voter jumped: more than the chain makes in such a time. 0: it went on block by block. */
  readonly jump: number
}

/** Time for which the head has to stand until a voter that went on block by block is believed: in ms, and blocks. */
const leadMs = 2_000
const leadBlocks = 3
/** Time for which a voter that jumped is doubted, and any that is above a head that goes on slowly: in ms, and blocks; longer for long jumps. */
const doubtMs = 30_000
const doubtBlocks = 10
const doubtMsPerBlock = 300
const mostDoubtMs = 600_000

/** Creates the memory of the upstreams above the served head. */
export function createJumps(): Jumps {
  const seen = new Map<string, Seen>()
  const asked = new Set<string>()

  /**
   * Whether a voter above the served head goes on while the head stands, or makes half of the chain's blocks at most: then the others are
   * slow. `reach`: the highest head that the chain can have reached since the head went on.
   */
  function leads(voter: Voter, reach: number, { head, lag, advancedAt, blockTimeMs, now }: DoubtLook): boolean {
    const { aboveSince, doubt } = seen.get(voter.name) ?? {}
    if (aboveSince === undefined || doubt === undefined) return false
    if (voter.movedAt <= aboveSince || now - voter.movedAt >= Math.max(4 * blockTimeMs, leadMs)) return false

    const height = heightOf(voter)
    const shortMs = Math.max(leadMs, leadBlocks * blockTimeMs)
    if (doubt.jump === 0 && height <= reach && now - Math.max(advancedAt, aboveSince) >= shortMs) return true
    const doubtedMs = now - doubt.at
    const isTooFast = height > doubt.height + lag + reachIn(doubtedMs, doubt.blockTimeMs)
    const jumpMs = isTooFast ? mostDoubtMs : Math.min(doubt.jump * doubtMsPerBlock, mostDoubtMs)
    const longMs = Math.max(doubtMs, jumpMs, doubtBlocks * doubt.blockTimeMs)
    const isSlow = 2 * (head.number - doubt.headNumber) * doubt.blockTimeMs <= doubtedMs
    return doubtedMs >= longMs && (isSlow || now - advancedAt >= longMs)
  }

  return {
    aboveSince: (name) => seen.get(name)?.aboveSince,
    isAsked: (name) => asked.has(name),
    note({ voters, head, lag, blockTimeMs, now }) {
      for (const voter of voters) {
        const height = heightOf(voter)
        const before = seen.get(voter.name)
        const last = Math.max(before?.height ?? 0, head.number)
        const most = last + lag + stepOf(blockTimeMs, now - (before?.at ?? now))
        const isAbove = height > head.number
        const jump = height > most ? height - last : 0
        const isFar = jump > 0 || height > head.number + lag
        const since = before?.doubt
        const isOld = since !== undefined && (since.jump > 0 || jump === 0)
        const next = isFar ? { at: now, height, headNumber: head.number, blockTimeMs, jump } : undefined
        seen.set(voter.name, {
          height,
          at: now,
          aboveSince: isAbove ? (before?.aboveSince ?? now) : undefined,
          doubt: isAbove ? (isOld ? since : next) : undefined,
        })
      }
    },
    doubted(look, healthy) {
      const { voters, electorate, head, lag, blockTimeMs, advancedAt, now } = look
      const near = head.number + lag + stepOf(blockTimeMs)
      const reach = head.number + lag + reachIn(now - advancedAt, blockTimeMs)
      const witnesses = voters.filter((voter) => healthy.has(voter.name) && heightOf(voter) <= near)
      const isDoubted = (voter: Voter): boolean => {
        const height = heightOf(voter)
        const isJump = height > near || (height > head.number && (seen.get(voter.name)?.doubt?.jump ?? 0) > 0)
        const others = witnesses.filter((other) => other !== voter)
        const isUnlinked = height > head.number && others.length > 0 && !isLinked(voter.blocks, head)
        const isApart = (): boolean =>
          height > head.number + lag || others.some((other) => relationOf(voter.blocks, other.blocks) === 'forked')
        // The blocks of a step are so few that they can be asked for.
        const link = isUnlinked && !isJump && height <= reach && isApart() ? voter.linkTo(head) : 'linked'
        asked[link === 'unknown' ? 'add' : 'delete'](voter.name)
        const isDoubtful = height > reach || (isUnlinked && isJump) || link !== 'linked'
        return isDoubtful && !leads(voter, reach, look)
      }
      const doubted = voters.filter(isDoubted)
      const agreed = dominantCluster(doubted, lag)?.members ?? []
      return new Set(isMajority(agreed.length, electorate) ? [] : doubted)
    },
  }
}

/** Whether a chain is known to go on from a block, parent by parent. */
function isLinked(blocks: KnownBlocks, { number, hash }: Position): boolean {
  return blocks.linkedFrom <= number && blocks.hashAt(number) === hash
}
