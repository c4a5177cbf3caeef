import type { Candidate } from './candidate.ts'
import type { UpstreamOrder } from './order.ts'

/**
 * Orders the candidates of calls with an affinity by rendezvous hashing, free ones first, and leaves other calls to `order`. Calls of one affinity
 * go to one upstream while it can be asked, in every process, and together to the next one when it cannot; no other calls move.
 */
export function rendezvous(order: UpstreamOrder): UpstreamOrder {
  return (eligible, call) => {
    const { affinity } = call
    if (affinity === undefined || eligible.length < 2) return order(eligible, call)
    const ranks = new Map(eligible.map((candidate) => [candidate, rankOf(candidate, affinity)]))
    return eligible.toSorted((a, b) => a.price - b.price || ranks.get(b)! - ranks.get(a)!)
  }
}

/** The greatest of such numbers falls to each candidate by its weight. Source: Mosko, weighted rendezvous hashing. */
const rankOf = ({ endpoint: { name }, weight }: Candidate, affinity: string): number =>
  hashed(`${name}\n${affinity}`) ** (1 / weight)

/** Returns a number above 0 and below 1 that a text decides: FNV-1a, and the last steps of MurmurHash3, without which like texts are ranked alike. */
function hashed(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32 + 2 ** -33
}
