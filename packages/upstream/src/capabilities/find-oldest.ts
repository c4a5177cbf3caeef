/** The bounds within which the oldest block of a resource lies. */
export interface OldestBounds {
  /** The lowest height that is known to be there; undefined: none. */
  readonly has: number | undefined
  /** The highest height that is known to be missing; undefined: none. */
  readonly lacks: number | undefined
}

/**
 * Finds how far back a node has a resource, by bisection of the logarithm of the depth: a window of 128 blocks is found as soon as half a
 * chain. `has`: looks at one height; undefined ends the search. `first`, `head`: the lowest and the highest height that count.
 */
export async function findOldest(
  has: (block: number) => Promise<boolean | undefined>,
  { first, head, mostCalls }: { readonly first: number; readonly head: number; readonly mostCalls: number },
): Promise<OldestBounds> {
  let lacks: number | undefined
  let there: number | undefined
  let block = first
  for (let calls = 0; calls < mostCalls; calls++) {
    const found = await has(block)
    if (found === undefined) break
    if (found) there = block
    else lacks = block
    if (lacks === undefined || lacks + 1 >= (there ?? head + 1)) break
    const deep = head - lacks
    const shallow = there === undefined ? 1 : Math.max(1, head - there)
    const middle = head - Math.round(Math.sqrt(deep * shallow))
    block = Math.min(Math.max(middle, lacks + 1), (there ?? head + 1) - 1)
  }
  return { has: there, lacks }
}
