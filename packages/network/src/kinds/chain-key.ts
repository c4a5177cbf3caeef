/**
 * Names what a store keeps of a network: the heads that were told, and filters. They are of its chain, so that a network under the same
 * name, of another one, begins without them.
 */
export function chainKey(network: string, { chainId }: { readonly chainId: number | string }): string {
  return `${network}:${chainId}`
}
