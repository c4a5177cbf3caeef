import { dominantCluster, heightOf, isMajority, type Voter } from './cluster.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { Position } from './position.ts'
import { reachIn, stepOf } from './reach.ts'

/** Upstreams above the served head, and how they came there. */
export interface Jumps {
  /** The time since which a voter is above the served head, in ms; undefined: it is not. */
  aboveSince(name: string): number | undefined
  /** Records how far each voter is. */
  note(look: JumpLook): void
  /**
   * Finds voters that are further ahead than the chain can be; and those that jumped, or are more than one step of the chain ahead, where an
   * upstream of `standing` has about the served head and no parents lead from there. A majority that agrees is not doubted.
   */
  doubted(look: DoubtLook, standing: ReadonlySet<string>): ReadonlySet<Voter>
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
  /** Whether it came above the served head by more blocks than the chain makes in such a time. */
  readonly hasJumped: boolean
}

/** Time for which the head has to stand until an upstream that went on by itself is believed, in ms and blocks; and one that jumped. */
const leadMs = 2_000
const leadBlocks = 3
const jumpMs = 600_000

/** Creates the memory of the upstreams above the served head. */
export function createJumps(): Jumps {
  const seen = new Map<string, Seen>()

  /** Whether a voter above the served head goes on while the head stands: then the others have stopped. */
  function leads({ name, movedAt }: Voter, { advancedAt, blockTimeMs, now }: DoubtLook): boolean {
    const { aboveSince, hasJumped = false } = seen.get(name) ?? {}
    if (aboveSince === undefined) return false
    const patienceMs = hasJumped ? jumpMs : Math.max(leadMs, leadBlocks * blockTimeMs)
    const isLong = now - Math.max(advancedAt, aboveSince) >= patienceMs
    return isLong && movedAt > aboveSince && now - movedAt < Math.max(4 * blockTimeMs, leadMs)
  }

  return {
    aboveSince: (name) => seen.get(name)?.aboveSince,
    note({ voters, head, lag, blockTimeMs, now }) {
      for (const voter of voters) {
        const height = heightOf(voter)
        const before = seen.get(voter.name)
        const most = before && Math.max(before.height, head.number) + lag + stepOf(blockTimeMs, now - before.at)
        const isAbove = height > head.number
        seen.set(voter.name, {
          height,
          at: now,
          aboveSince: isAbove ? (before?.aboveSince ?? now) : undefined,
          hasJumped: isAbove && (before?.hasJumped === true || height > (most ?? height)),
        })
      }
    },
    doubted(look, standing) {
      const { voters, electorate, head, lag, blockTimeMs, advancedAt, now } = look
      const near = head.number + lag + stepOf(blockTimeMs)
      const most = head.number + lag + reachIn(now - advancedAt, blockTimeMs)
      const witnesses = voters.filter((voter) => standing.has(voter.name) && heightOf(voter) <= near)
      const isDoubted = (voter: Voter): boolean => {
        const height = heightOf(voter)
        if (height > most) return true
        const isJump = height > near || (height > head.number && seen.get(voter.name)?.hasJumped === true)
        const isWitnessed = witnesses.some((other) => other !== voter)
        return isJump && isWitnessed && !isLinked(voter.blocks, head) && !leads(voter, look)
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
