import type { VerificationLevel } from '@wayleave/evm-verify'
import type { StarknetVersion } from '@wayleave/starknet-types'
import type { IpfsConfig, ProjectIpfsConfig } from './ipfs-config.ts'

/** What an operator writes. Unknown members are refused; see the README for an example. */
export interface Config {
  /** Where state is kept. Default: nowhere. */
  readonly dataDir?: string
  /** What state is kept in. Default: the file `wayleave.sqlite` in `dataDir` where that is given, else memory. */
  readonly store?: StoreConfig
  readonly listen?: ListenConfig
  readonly admin?: AdminConfig
  /** The network of a bare host. Default: the only one, where there is one. */
  readonly defaultNetwork?: string
  /** By slug, such as `mainnet` or `base-sepolia`. */
  readonly networks: Readonly<Record<string, NetworkConfig>>
  /** Hosts that mean no network by their first label, such as `rpc.example.org`. */
  readonly bareHosts?: readonly string[]
  /** Serves programs and web pages of this machine only, told by `Host` and `Origin`. Default false. */
  readonly onlyLocal?: boolean
  readonly methods?: MethodsConfig
  /** Default: the IPFS API is not served. Its pins are kept in `store`, which must outlast a restart then. */
  readonly ipfs?: IpfsConfig
  readonly projects?: readonly ProjectConfig[]
  readonly limits?: LimitsConfig
}

/** `host:port`; port 0 is any free one. */
export interface ListenConfig {
  /** JSON-RPC over HTTP and WebSocket. Default `127.0.0.1:8545`. */
  readonly rpc?: string
  /** The IPFS API. Default `127.0.0.1:5001`. */
  readonly ipfs?: string
  /** Health and metrics. Default `127.0.0.1:8546`. */
  readonly admin?: string
  /** With it, `rpc` takes HTTPS and WSS, `ipfs` HTTPS, and nothing else. */
  readonly tls?: TlsConfig
}

/** Each a path, relative to the working directory, or PEM text. */
export interface TlsConfig {
  /** The certificate, and those between it and its root. */
  readonly cert: string
  readonly key: string
  /** Default `TLSv1.2`. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
}

/** Memory, which ends with the process; a file of SQLite; or the URL of a PostgreSQL database. */
export type StoreConfig = 'memory' | { readonly sqlite: string } | { readonly postgres: string }

export interface AdminConfig {
  readonly token: string
}

/** One network; which members it has depends on its kind. */
export type NetworkConfig = EvmNetworkConfig | StarknetNetworkConfig

export interface EvmNetworkConfig {
  readonly kind: 'evm' | 'rollup'
  readonly chainId: number
  /** In order of preference: http(s) and ws(s) URLs. Subscriptions need a ws(s) one. */
  readonly upstreams: readonly (string | UpstreamConfig)[]
  /** The rollup node's own URL: `rollup_getInfo` is derived from it where no upstream has it. */
  readonly rollupNode?: string
  /** Whether the node behind is the sequencer. Default: as the rollup node tells, else `verifier`. */
  readonly rollupMode?: 'sequencer' | 'verifier'
  /**
   * What the answers of upstreams have to stand: nothing; that they agree with themselves and with what was asked; or a proof,
   * wherever there can be one. Default `off`.
   */
  readonly verify?: VerificationLevel
  /** Gas fee suggestions (Spec §4.11); `false`: none. Default: those of the strategy `wayleave`. */
  readonly gas?: GasConfig | false
}

export interface StarknetNetworkConfig {
  readonly kind: 'starknet'
  /** As a text of at most 31 characters, such as `SN_MAIN`, or as a felt in hex. */
  readonly chainId: string
  /** In order of preference: http(s) and ws(s) URLs of nodes, whatever version of the interface each of them speaks. */
  readonly upstreams: readonly (string | Omit<UpstreamConfig, 'verify'>)[]
  /** The version of the interface that callers speak who name none in their path. Default `0.5.1`. */
  readonly specVersion?: StarknetVersion
}

export interface GasConfig {
  /** `metamask` gives the numbers that MetaMask computes itself. Default `wayleave`. */
  readonly strategy?: 'wayleave' | 'metamask'
  /** The greatest age of an answer, in ms; without a younger one, callers get 503. Default: ten blocks, 60,000 at least. */
  readonly maxAgeMs?: number
  /** Blocks come only with transactions, as on a development chain: a head that stands still is not old. Default false. */
  readonly blocksOnDemand?: boolean
}

export interface UpstreamConfig {
  readonly url: string
  /** For logs and metrics. Default `upstream-1`, `upstream-2` and so on. */
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Goes before the network's. */
  readonly verify?: VerificationLevel
}

export interface MethodsConfig {
  /** Names, or prefixes that end in `*`, in any case. Default `admin_*`, `personal_*`, `debug_setHead`, `engine_*`. */
  readonly deny?: readonly string[]
}

export interface ProjectConfig {
  readonly name: string
  /** Names the project in the store, such as the owner of its pins: give the old name when it is renamed. Default: `name`. */
  readonly id?: string
  readonly keys: readonly KeyConfig[]
  /** Default: all. */
  readonly networks?: readonly string[]
  /** Refuses calls without the key's secret. */
  readonly requireSecret?: boolean
  /** Whether a billing card is attached, which the IPFS API asks for (Spec §5). Default true. */
  readonly billingCard?: boolean
  readonly ipfs?: ProjectIpfsConfig
}

export interface KeyConfig {
  readonly key: string
  readonly secret?: string
}

export interface LimitsConfig {
  /** Longest wait for an answer to begin, and then for its next part, in ms. Default 30,000. */
  readonly requestTimeoutMs?: number
  /** Longest time in which the head and the body of a request have to come, in ms. Default 30,000. */
  readonly readTimeoutMs?: number
  /** Longest request body and WebSocket message, in bytes, less than 2 GiB. Default 5 MiB. */
  readonly maxBodyBytes?: number
  /** Most calls in a batch. Default 1,000. */
  readonly maxBatch?: number
  /** Longest answer of an upstream that is held whole, in bytes, less than 2 GiB. Default 64 MiB. */
  readonly maxUpstreamBytes?: number
  /** Most subscriptions of a connection. Default 1,000. */
  readonly maxSubscriptions?: number
  /** Most calls of a connection in flight; more wait. Default 200. */
  readonly maxInFlight?: number
  /** Most connections of the JSON-RPC listener. Default 20,000. */
  readonly maxConnections?: number
  /** How often a WebSocket is pinged, and how long it may take to answer, in ms. Default 30,000. */
  readonly webSocketPingMs?: number
  /** How long nothing but pings may pass before a WebSocket is closed, in ms. Default 3,600,000. */
  readonly webSocketIdleMs?: number
}

/** Picks out the settings that only EVM networks and rollups have. */
export function evmSettings(network: NetworkConfig): EvmNetworkConfig | undefined {
  return network.kind === 'starknet' ? undefined : network
}

/** Gives a configuration its type in a `.ts` file. */
export function defineConfig(config: Config): Config {
  return config
}
