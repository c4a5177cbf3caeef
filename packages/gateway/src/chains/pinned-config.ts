import { printPath } from '@wayleave/jsonrpc-core/schema'
import { asWritten, type PinnedNetwork } from '@wayleave/network/config'
import { ConfigError } from '../config/check.ts'
import type { Config } from '../config/config.ts'

/** A configuration that knows the chain of each network: as it is written there, or as its nodes told. */
export interface PinnedConfig extends Config {
  readonly networks: Readonly<Record<string, PinnedNetwork>>
}

/** Returns the same configuration, whose networks all name their chains. @throws ConfigError for one that does not */
export function pinnedAsWritten(config: Config): PinnedConfig {
  const networks = Object.entries(config.networks).map(([slug, network]) => [slug, asWritten(slug, network)] as const)
  const unnamed = networks.filter(([, network]) => network === undefined)
  if (unnamed.length === 0) return { ...config, networks: Object.fromEntries(networks) as PinnedConfig['networks'] }
  throw new ConfigError(unnamed.map(([slug]) => ({ path: chainIdPath(slug), expected: 'a chain id', got: 'nothing' })))
}

/** Prints the place of a network's chain id, as problems name it. */
export function chainIdPath(slug: string): string {
  return printPath(['networks', slug, 'chainId'])
}
