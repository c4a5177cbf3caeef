import { type BlockTag, type Hash, hashSchema, printQuantity, type Quantity, quantitySchema } from '@wayleave/evm-types'
import { isRecord, isSameHex } from '../refusal.ts'
import { unproven } from './finding.ts'

/** Asks one endpoint for a block by its number or tag. */
export type Voter = (numberOrTag: string) => Promise<unknown>

/**
 * The hash that `atLeast` voters give for a height. Does not wait for voters it no longer needs; one that fails has no
 * vote. @throws VerifyError `unproven` if they do not agree.
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

/** The widest gap between endpoints on a tag if too few answer to outvote a liar: an epoch, the step of the finalized block. */
const mostApart = 32n

/**
 * The highest block that `atLeast` voters have under a tag, from the first `2 * atLeast - 1` answers, or from all if there
 * are fewer. Fewer liars than `atLeast` cannot move it if at least `atLeast` honest voters answer. If fewer answers come,
 * they must be close. @throws VerifyError `unproven`
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
  return printQuantity(height)
}

/** The first value that `count` returns as the blocks arrive; undefined if it returns none for any of them. */
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
