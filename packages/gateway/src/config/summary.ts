import { chainCheckOf, evmSettings, namedUpstream, type NetworkConfig, reportsChain } from '@wayleave/network/config'
import type { Config } from './config.ts'
import { defaultListen } from './listen-config.ts'

/** A configuration in short, for a person: no key, no secret, and only the host of a URL. */
export interface ConfigSummary {
  readonly networks: readonly NetworkSummary[]
  readonly defaultNetwork: string | undefined
  readonly listeners: {
    readonly rpc: string
    /** Undefined if the IPFS API is not served. */
    readonly ipfs: string | undefined
    readonly admin: string
    readonly tls: boolean
  }
  /** `local`, or the host of a Kubo. */
  readonly ipfs: string | undefined
  readonly projects: readonly { readonly name: string; readonly keys: number }[]
}

export interface NetworkSummary {
  readonly name: string
  readonly kind: NetworkConfig['kind']
  /** A text for Starknet, the answer of the chain check of kind jsonrpc. Undefined: its nodes are asked at the start, if they tell a chain. */
  readonly chainId: number | string | undefined
  /** Whether nodes of its kind tell their chain. */
  readonly reportsChain: boolean
  /** `wss://node.example.org:8546`; of a node that is reached both ways, both. */
  readonly upstreams: readonly string[]
  readonly rollupNode: string | undefined
}

/** The summary of a checked configuration. */
export function summarize({ networks, defaultNetwork, listen, ipfs, projects = [] }: Config): ConfigSummary {
  const names = Object.keys(networks)
  return {
    networks: Object.entries(networks).map(([name, network]) => ({
      name,
      kind: network.kind,
      chainId: network.chainId ?? chainCheckOf(network)?.result,
      reportsChain: reportsChain(network),
      upstreams: network.upstreams
        .map(namedUpstream)
        .flatMap(({ url, ws }) => [url, ...(ws === undefined ? [] : [ws])].map(hostOf)),
      rollupNode: hostOfAny(evmSettings(network)?.rollupNode),
    })),
    defaultNetwork: defaultNetwork ?? (names.length === 1 ? names[0] : undefined),
    listeners: {
      rpc: listen?.rpc ?? defaultListen.rpc,
      ipfs: ipfs && (listen?.ipfs ?? defaultListen.ipfs),
      admin: listen?.admin ?? defaultListen.admin,
      tls: listen?.tls !== undefined,
    },
    ipfs: ipfs?.backend === 'kubo' ? hostOf(ipfs.url) : ipfs?.backend,
    projects: projects.map(({ name, keys }) => ({ name, keys: keys.length })),
  }
}

const hostOfAny = (url: string | undefined): string | undefined => url && hostOf(url)

/** Prints the part of a URL that holds no key: `wss://node.example.org:8546`. */
export function hostOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
