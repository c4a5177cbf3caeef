/** The coins of chains that are widely known, by chain id. Source: the chain definitions of viem 2.57. */
const chainsByCoin: Readonly<Record<string, readonly number[]>> = {
  ETH: [
    1, 10, 130, 300, 324, 1301, 1923, 1924, 4326, 6343, 8453, 42161, 43111, 59141, 59144, 81457, 84532, 421614, 534351,
    534352, 560048, 743111, 11155111, 11155420, 168587773,
  ],
  AVAX: [43113, 43114],
  BNB: [56, 204],
  CELO: [42220],
  MNT: [5000, 5003],
  MON: [143, 10143],
  POL: [137, 80002],
  SEI: [1328, 1329],
}

/** Names the coin in which a chain is paid, by its `eth_chainId`; `coin` where it is not known. */
export function coinOf(chainId: unknown): string {
  const id = Number(chainId)
  return Object.keys(chainsByCoin).find((coin) => chainsByCoin[coin]!.includes(id)) ?? 'coin'
}
