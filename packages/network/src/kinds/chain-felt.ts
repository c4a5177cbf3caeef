// Configurations of any kind are read with this, and `@wayleave/starknet-types` would load the tables of all versions for it.

/** The prime that felts are smaller than. Source: Starknet, "Felt". */
const prime = 2n ** 251n + 17n * 2n ** 192n + 1n

/**
 * Prints the felt of a Starknet chain id as its nodes print it (`0x534e5f4d41494e`), from a short text such as `SN_MAIN` (each
 * character a byte) or from a felt in hex, padded or not; undefined for what is neither.
 */
export function chainFelt(chainId: string): string | undefined {
  if (/^0x/i.test(chainId)) {
    if (!/^0x[\da-f]{1,64}$/i.test(chainId)) return undefined
    const felt = BigInt(chainId)
    return felt > 0n && felt < prime ? `0x${felt.toString(16)}` : undefined
  }
  if (!/^[\x21-\x7e]{1,31}$/.test(chainId)) return undefined
  return `0x${Buffer.from(chainId, 'latin1').toString('hex')}`
}
