import type { Candidate } from '@wayleave/upstream'

/** Finds an upstream that can confirm what another one answered. `absent`: the network has none. Undefined: none can be asked now. */
export type FindConfirmer = (giver: string | undefined, groups: readonly string[] | undefined) => string | undefined

/** The answer of {@link FindConfirmer} where an upstream has nobody beside it, and is believed. */
export const absent = ''

/** Makes the function. A confirmer is another node of the same groups that costs nothing and is no fallback. `isGood`: whether an upstream stands with the chain. */
export function confirmersAmong(candidates: readonly Candidate[], isGood: (name: string) => boolean): FindConfirmer {
  return (giver, groups) => {
    const own = candidates.find(({ endpoint }) => endpoint.name === giver)
    if (own === undefined) return undefined
    const others = candidates.filter(
      ({ node, tier, spend, groups: its }) =>
        node !== own.node &&
        tier === 'primary' &&
        spend === undefined &&
        (groups === undefined || groups.some((group) => its.has(group))),
    )
    if (others.length === 0) return absent
    return others.find(({ endpoint }) => isGood(endpoint.name))?.endpoint.name
  }
}
