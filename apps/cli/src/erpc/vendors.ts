/** The names that a provider has for chains, by chain id. Source: `thirdparty/` of eRPC 0.0.63. */
interface Vendor {
  readonly chains: Readonly<Record<number, string>>
  readonly urlOf: (chain: string, key: string) => string
}

const vendors: Readonly<Record<string, Vendor>> = {
  alchemy: {
    chains: {
      1: 'eth-mainnet',
      11155111: 'eth-sepolia',
      560048: 'eth-hoodi',
      10: 'opt-mainnet',
      11155420: 'opt-sepolia',
      137: 'polygon-mainnet',
      80002: 'polygon-amoy',
      42161: 'arb-mainnet',
      421614: 'arb-sepolia',
      8453: 'base-mainnet',
      84532: 'base-sepolia',
      324: 'zksync-mainnet',
      81457: 'blast-mainnet',
      534352: 'scroll-mainnet',
      59144: 'linea-mainnet',
      100: 'gnosis-mainnet',
      5000: 'mantle-mainnet',
      42220: 'celo-mainnet',
      56: 'bnb-mainnet',
      43114: 'avax-mainnet',
      1329: 'sei-mainnet',
    },
    urlOf: (chain, key) => `https://${chain}.g.alchemy.com/v2/${key}`,
  },
  infura: {
    chains: {
      1: 'mainnet',
      11155111: 'sepolia',
      10: 'optimism-mainnet',
      11155420: 'optimism-sepolia',
      137: 'polygon-mainnet',
      80002: 'polygon-amoy',
      42161: 'arbitrum-mainnet',
      421614: 'arbitrum-sepolia',
      8453: 'base-mainnet',
      84532: 'base-sepolia',
      324: 'zksync-mainnet',
      81457: 'blast-mainnet',
      534352: 'scroll-mainnet',
      59144: 'linea-mainnet',
      59141: 'linea-sepolia',
      5000: 'mantle-mainnet',
      42220: 'celo-mainnet',
      56: 'bsc-mainnet',
      43114: 'avalanche-mainnet',
      204: 'opbnb-mainnet',
    },
    urlOf: (chain, key) => `https://${chain}.infura.io/v3/${key}`,
  },
}

/** The names of the vendors whose URLs are known. */
export const vendorNames: readonly string[] = Object.keys(vendors)

/** The URL of a chain at a provider; undefined where it is not known. */
export function vendorUrl(vendor: string, chainId: number, key: string): string | undefined {
  const known = Object.hasOwn(vendors, vendor) ? vendors[vendor]! : undefined
  const chain = known?.chains[chainId]
  return chain === undefined || key === '' ? undefined : known!.urlOf(chain, key)
}
