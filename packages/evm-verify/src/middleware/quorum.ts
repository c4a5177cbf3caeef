import { type BlockTag, type Hash, hashSchema, type Quantity, quantitySchema } from '@wayleave/evm-types'
import { isRecord, isSameHex } from '../refusal.ts'
import { unproven } from './finding.ts'

/** Asks one endpoint for a block by its number or tag. */
export type Voter = (numberOrTag: string) => Promise<unknown>

/**
 * The hash that `atLeast` voters give a height. Nobody waits for voters who are no longer needed; one that fails has no vote.
 * @throws VerifyError `unproven` where they do not agree.
 */
export async function quorumHash(voters: readonly Voter[], atLeast: number, number: Quantity): Promise<Hash> {
  const votes = new Map<string, number>()
  const hash = await firstOf(voters, number, (block) => {
    if (!isSameHex(block.number, number) || hashSchema.check(block.hash, '') !== undefined) return undefined
    const voted = (block.hash as Hash).toLowerCase() as Hash
    votes.set(voted, (votes.get(voted) ?? 0) + 1)
    return votes.get(voted)! >= atLeast ? voted : undefined
  })
  if (hash !== undefined) return hash
  const most = Math.max(0, ...votes.values())
  throw unproven(`${most} of ${voters.length} endpoints agree on block ${number}, and ${atLeast} must`)
}

/** How far apart endpoints may be on a tag where too few are heard to outvote one: an epoch, by which the finalized block goes on. */
const mostApart = 32n

/**
 * The highest block that `atLeast` voters have under a tag. Fewer liars than that can neither raise nor lower it, where at least as
 * many others answer: of twice as many but one, or of all where there are no more, those that answer first are heard.
 * Where fewer answer, they must be close. @throws VerifyError `unproven`
 */
export async function quorumHeight(voters: readonly Voter[], atLeast: number, tag: BlockTag): Promise<Quantity> {
  const heights: bigint[] = []
  await firstOf(voters, tag, ({ number }) => {
    if (quantitySchema.check(number, '') !== undefined) return undefined
    heights.push(BigInt(number as Quantity))
    return heights.length >= 2 * atLeast - 1 ? true : undefined
  })
  const highestFirst = heights.toSorted((a, b) => (a < b ? 1 : -1))
  const height = highestFirst[atLeast - 1]
  if (height === undefined) {
    throw unproven(`${heights.length} of ${voters.length} endpoints say what ${tag} is, and ${atLeast} must`)
  }
  const apart = highestFirst[0]! - height
  if (heights.length < 2 * atLeast - 1 && apart > mostApart) {
    throw unproven(`${tag}: the endpoints are ${apart} blocks apart, and too few to tell which is right`)
  }
  return `0x${height.toString(16)}`
}

/** The first thing that `count` makes of the blocks as they come; undefined when all have come. */
async function firstOf<T>(
  voters: readonly Voter[],
  asked: string,
  count: (block: { readonly number?: unknown; readonly hash?: unknown }) => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const answers = voters.map((voter) =>
      voter(asked).then(
        (block) => {
          const found = isRecord(block) ? count(block) : undefined
          if (found !== undefined) resolve(found)
        },
        () => {},
      ),
    )
    void Promise.all(answers).then(() => resolve(undefined))
  })
}
