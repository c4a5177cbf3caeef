import { printPath } from '@wayleave/jsonrpc-core/schema'
import { ConfigError } from '../config/check.ts'
import type { Config } from '../config/config.ts'
import type { NetworkConfig } from '../config/network-config.ts'

/** A network whose chain is known. */
export type PinnedNetwork = NetworkConfig & { readonly chainId: number | string }

/** A configuration that knows the chain of each network: as it is written there, or as its nodes told. */
export interface PinnedConfig extends Config {
  readonly networks: Readonly<Record<string, PinnedNetwork>>
}

/** Tells a network that names its chain. */
export function namesChain(network: NetworkConfig): network is PinnedNetwork {
  return network.chainId !== undefined
}

/** Returns the same configuration, whose networks all name their chains. @throws ConfigError for one that does not */
export function pinnedAsWritten(config: Config): PinnedConfig {
  const unnamed = Object.entries(config.networks).filter(([, network]) => !namesChain(network))
  if (unnamed.length === 0) return config as PinnedConfig
  throw new ConfigError(unnamed.map(([slug]) => ({ path: chainIdPath(slug), expected: 'a chain id', got: 'nothing' })))
}

/** Prints the place of a network's chain id, as problems name it. */
export function chainIdPath(slug: string): string {
  return printPath(['networks', slug, 'chainId'])
}
