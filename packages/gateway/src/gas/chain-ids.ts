/** Writes a chain id in decimal: some clients know a chain as `eth_chainId` tells it. */
export function inDecimal(chainId: string): string {
  return chainId.startsWith('0x') && /^0x[\da-f]{1,64}$/i.test(chainId) ? String(BigInt(chainId)) : chainId
}

/** Reads a segment of a path; one that is encoded wrongly stays as it is. */
export function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
