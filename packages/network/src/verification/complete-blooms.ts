/** Polygon's networks: their blocks have logs of state syncs, which are in no receipt and no bloom filter. */
const chainsWithOtherLogs: ReadonlySet<number | undefined> = new Set([137, 80_001, 80_002])

/** Tells whether the headers of a chain say which logs its blocks have; of an unknown chain, they do. */
export function hasCompleteBlooms(chainId: number | undefined): boolean {
  return !chainsWithOtherLogs.has(chainId)
}
