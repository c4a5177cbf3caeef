import { chainFelt } from '@wayleave/network'

/** Chain ids by the slugs that RPC services use; those of EVM chains are from the chain definitions of viem 2.57. */
export const knownChains: ReadonlyMap<string, number | string> = new Map<string, number | string>([
  ['mainnet', 1],
  ['sepolia', 11155111],
  ['hoodi', 560048],
  ['arbitrum-mainnet', 42161],
  ['arbitrum-sepolia', 421614],
  ['avalanche-mainnet', 43114],
  ['avalanche-fuji', 43113],
  ['base-mainnet', 8453],
  ['base-sepolia', 84532],
  ['blast-mainnet', 81457],
  ['blast-sepolia', 168587773],
  ['bsc-mainnet', 56],
  ['bsc-testnet', 97],
  ['celo-mainnet', 42220],
  ['celo-sepolia', 11142220],
  ['hemi-mainnet', 43111],
  ['hemi-testnet', 743111],
  ['linea-mainnet', 59144],
  ['linea-sepolia', 59141],
  ['mantle-mainnet', 5000],
  ['mantle-sepolia', 5003],
  ['megaeth-mainnet', 4326],
  ['megaeth-testnet', 6343],
  ['monad-mainnet', 143],
  ['monad-testnet', 10143],
  ['opbnb-mainnet', 204],
  ['opbnb-testnet', 5611],
  ['optimism-mainnet', 10],
  ['optimism-sepolia', 11155420],
  ['palm-mainnet', 11297108109],
  ['palm-testnet', 11297108099],
  ['polygon-mainnet', 137],
  ['polygon-amoy', 80002],
  ['scroll-mainnet', 534352],
  ['scroll-sepolia', 534351],
  ['sei-mainnet', 1329],
  ['sei-testnet', 1328],
  ['starknet-mainnet', 'SN_MAIN'],
  ['starknet-sepolia', 'SN_SEPOLIA'],
  ['swellchain-mainnet', 1923],
  ['swellchain-testnet', 1924],
  ['unichain-mainnet', 130],
  ['unichain-sepolia', 1301],
  ['zksync-mainnet', 324],
  ['zksync-sepolia', 300],
])

/** Finds the usual slug of a chain: `mainnet` for 1; undefined for one that is not widely known. */
export function slugOfChain(chainId: number | string): string | undefined {
  return [...knownChains].find(([, known]) => isSameChain(chainId, known))?.[0]
}

/** One chain of Starknet can be written as a text and as a felt. */
export function isSameChain(configured: number | string, known: number | string): boolean {
  if (typeof configured === 'number' || typeof known === 'number') return configured === known
  return chainFelt(configured) === chainFelt(known)
}
