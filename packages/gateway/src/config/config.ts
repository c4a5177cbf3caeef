import type { VerificationLevel } from '@wayleave/evm-verify'
import type { Plan } from '@wayleave/metering'
import type { StarknetVersion } from '@wayleave/starknet-types'
import type { UpstreamOrder } from '@wayleave/upstream'
import type { CacheConfig } from './cache-config.ts'
import type { ConsensusConfig } from './consensus-config.ts'
import type { PricesConfig, UsageConfig, WebhookConfig } from './metering-config.ts'
import type { ProjectConfig } from './project-config.ts'
import type { ShutdownConfig } from './shutdown-config.ts'
import type { LogConfig, MetricsConfig } from './telemetry-config.ts'
import type { TimeoutsConfig } from './timeouts-config.ts'
import type { TracingConfig } from './tracing-config.ts'
import type { UpstreamConfig } from './upstream-config.ts'

/** The configuration that an operator writes. Unknown members are refused; see the README for an example. */
export interface Config {
  /** The folder for state. Default: none. */
  readonly dataDir?: string
  /** The database for state. Default: the file `wayleave.sqlite` in `dataDir` if that is given, else memory. */
  readonly store?: StoreConfig
  /** The URL of a Redis through which replicas share state; of a Redis Cluster, some of its nodes. Default: none is shared. */
  readonly redis?: string | readonly string[]
  /** The processes that share limits by `redis`, at least: those that it has heard of lately count, too. Default 1. */
  readonly replicas?: number
  readonly listen?: ListenConfig
  readonly admin?: AdminConfig
  /** The network of a bare host. Default: the only network, if there is just one. */
  readonly defaultNetwork?: string
  /** By slug, such as `mainnet` or `base-sepolia`. */
  readonly networks: Readonly<Record<string, NetworkConfig>>
  /** Hosts whose first label names no network, such as `rpc.example.org`. */
  readonly bareHosts?: readonly string[]
  /** Serves only programs and web pages of this machine, as `Host` and `Origin` tell. Default false. */
  readonly onlyLocal?: boolean
  /** IP addresses and CIDR blocks of proxies that may tell their callers' addresses in `X-Forwarded-For`. Default: none. */
  readonly trustedProxies?: readonly string[]
  readonly methods?: MethodsConfig
  /** Default: the IPFS API is not served. Its pins are kept in `store`, which then must outlast a restart. */
  readonly ipfs?: IpfsConfig
  readonly projects?: readonly ProjectConfig[]
  /** Limits by name, which any number of projects and keys may name. Default: nobody is limited. */
  readonly plans?: Readonly<Record<string, Plan>>
  /** Credits of calls, in place of the default ones. */
  readonly prices?: PricesConfig
  /** The spool and the age of usage; it is counted unless `store` is memory. */
  readonly usage?: UsageConfig
  /** Receives the warnings of quotas, beside the log and the metrics. Default: nobody. */
  readonly webhook?: WebhookConfig
  /** Keeps answers, so that the same question is asked once; `false`: none. Default: all networks share one cache. */
  readonly cache?: CacheConfig | false
  /** Sends traces of calls to a collector. Default: none are made. */
  readonly tracing?: TracingConfig
  readonly limits?: LimitsConfig
  readonly shutdown?: ShutdownConfig
  readonly log?: LogConfig
  readonly metrics?: MetricsConfig
}

/** `host:port`; port 0 is any free one. */
export interface ListenConfig {
  /** JSON-RPC over HTTP and WebSocket. Default `127.0.0.1:8545`. */
  readonly rpc?: string
  /** The IPFS API. Default `127.0.0.1:5001`. */
  readonly ipfs?: string
  /** Health, status and metrics. Default `127.0.0.1:8546`. */
  readonly admin?: string
  /** With it, `rpc` takes only HTTPS and WSS, and `ipfs` only HTTPS. */
  readonly tls?: TlsConfig
}

/** Each a path, relative to the working directory, or PEM text. */
export interface TlsConfig {
  /** The certificate, and those between it and its root. */
  readonly cert: string
  readonly key: string
  /** Default `TLSv1.2`, of which only suites with forward secrecy are spoken. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
}

/** Memory, which ends with the process; an SQLite file; or the URL of a PostgreSQL database. */
export type StoreConfig = 'memory' | { readonly sqlite: string } | { readonly postgres: string }

export interface AdminConfig {
  /** Asked for by `/status` and `/metrics`, and one with all scopes for the admin API. Default: none. */
  readonly token?: string
  /** Further tokens for the admin API. */
  readonly tokens?: readonly AdminTokenConfig[]
  /** Names that requests to the admin listener may have in `Host` and `Origin`, beside addresses, `localhost` and its own. Default: none. */
  readonly hosts?: readonly string[]
  /** `false`: the console is not served. Default: it is, at `/console/` of the admin listener, wherever the admin API is. */
  readonly console?: boolean
  /** The origin by which pages of the console reach JSON-RPC, such as `https://rpc.example.org`. Default: the port of `listen.rpc` at their own host. */
  readonly publicRpc?: string
}

/** A token for the admin API. */
export interface AdminTokenConfig {
  /** Names the author of changes in the audit log. */
  readonly name: string
  /** `sha256:` and 64 hex digits. */
  readonly tokenHash: string
  readonly scopes: readonly ('read' | 'accounts' | 'usage' | 'networks' | 'ipfs' | 'all')[]
  /** Default: it does not expire. */
  readonly expiresAt?: string
}

/** One network; its members depend on its kind. */
export type NetworkConfig = EvmNetworkConfig | StarknetNetworkConfig

export interface EvmNetworkConfig {
  readonly kind: 'evm' | 'rollup'
  /** Default: its nodes are asked at the first start, and `dataDir` keeps their answer. */
  readonly chainId?: number
  /** http(s) and ws(s) URLs. Subscriptions need a ws(s) one. */
  readonly upstreams: readonly (string | UpstreamConfig)[]
  /**
   * Whether the gateway follows the heads of its upstreams: it asks them for their chain and their latest block while there are callers,
   * and leaves alone those of another chain and those that are behind. Default true.
   */
  readonly followHeads?: boolean
  /** Upstreams that get a signed transaction at once; the first success is the answer. Default 1. */
  readonly broadcast?: number
  /** The rollup node's own URL: `rollup_getInfo` is derived from it if no upstream has that method. */
  readonly rollupNode?: string
  /** Whether the node is the sequencer. Default: as the rollup node tells, else `verifier`. */
  readonly rollupMode?: 'sequencer' | 'verifier'
  /**
   * How answers of upstreams are checked: not at all; for agreement with themselves and with the request; or by a proof,
   * for each answer that has one. Default `off`.
   */
  readonly verify?: VerificationLevel
  /** Has calls of some methods asked of several upstreams, whose answers are compared. Default: one is asked. */
  readonly consensus?: ConsensusConfig
  /** Chooses the order of upstreams for each call; of a TypeScript or JavaScript configuration only. Default: the best one first. */
  readonly policy?: UpstreamOrder
  /** Gas fee suggestions (Spec §4.11); `false`: none. Default: those of the strategy `wayleave`. */
  readonly gas?: GasConfig | false
  /** `false`: none of its answers is kept. */
  readonly cache?: false
  readonly timeouts?: TimeoutsConfig
}

export interface StarknetNetworkConfig {
  readonly kind: 'starknet'
  /** As a text of at most 31 characters, such as `SN_MAIN`, or as a felt in hex. Default: its nodes are asked at the first start, and `dataDir` keeps their answer. */
  readonly chainId?: string
  /** http(s) and ws(s) URLs of nodes; each may speak any version of the interface. */
  readonly upstreams: readonly (string | Omit<UpstreamConfig, 'verify'>)[]
  /**
   * Whether the gateway follows the heads of its upstreams: it asks them for their chain and their latest block while there are callers,
   * and leaves alone those of another chain and those that are behind. Default true.
   */
  readonly followHeads?: boolean
  /** The version of the interface for callers that name none in their path. Default `0.5.1`. */
  readonly specVersion?: StarknetVersion
  /** Chooses the order of upstreams for each call; of a TypeScript or JavaScript configuration only. Default: the best one first. */
  readonly policy?: UpstreamOrder
  /** `false`: none of its answers is kept. */
  readonly cache?: false
  readonly timeouts?: TimeoutsConfig
}

export interface GasConfig {
  /** `metamask` gives the numbers that MetaMask computes itself. Default `wayleave`. */
  readonly strategy?: 'wayleave' | 'metamask'
  /** The greatest age of an answer, in ms; without a younger one, callers get 503. Default: ten blocks, 60,000 at least. */
  readonly maxAgeMs?: number
  /** Blocks come only with transactions, as on a development chain: a head that does not move is not old. Default false. */
  readonly blocksOnDemand?: boolean
}

export interface MethodsConfig {
  /**
   * Names, or prefixes that end in `*`, in any case; where there are any, names with other characters than ASCII letters, digits and `_`
   * are denied, too. They are denied beside those of `denyByDefault`. Default: none.
   */
  readonly deny?: readonly string[]
  /** Whether `admin_*`, `personal_*`, `debug_setHead` and `engine_*` are denied, which reach into a node. Default true. */
  readonly denyByDefault?: boolean
}

export interface LimitsConfig {
  /** Longest wait for an answer to begin, and then for its next part, in ms. Default 30,000. */
  readonly requestTimeoutMs?: number
  /** Longest time for the head and the body of a request to come, in ms. Default 30,000. */
  readonly readTimeoutMs?: number
  /** Longest request body and WebSocket message, in bytes, less than 2 GiB. Default: a ninth of `maxHeldBytes`, at most 5 MiB. */
  readonly maxBodyBytes?: number
  /** Most calls in a batch. Default 1,000. */
  readonly maxBatch?: number
  /** Longest answer of an upstream that is held whole, in bytes, less than 2 GiB. Default 64 MiB. */
  readonly maxUpstreamBytes?: number
  /** Most subscriptions of a connection. Default 1,000. */
  readonly maxSubscriptions?: number
  /** Most filters of all networks, one over 1 KiB counted as several; a project alone may have nine tenths of them. Default 10,000. */
  readonly maxFilters?: number
  /** Most blocks of the range of an `eth_getLogs`. Default 100,000. */
  readonly maxLogBlocks?: number
  /** Most blocks of such a range where an upstream of the network has `verify: proven`. Default 1,024. */
  readonly maxProvenLogBlocks?: number
  /** Longest logs of a long range in a batch or over a WebSocket, which are held whole, in bytes, less than 2 GiB. Default 25,000,000. */
  readonly maxLogBytes?: number
  /** Most calls of a connection in flight; more wait. Default 200. */
  readonly maxInFlight?: number
  /** Most calls of all connections in flight or waiting; a project alone may have nine tenths of them. Default 10,000. */
  readonly maxCalls?: number
  /** Most calls that an upstream is asked at once; a project alone may have nine tenths of them. Default 160. */
  readonly maxUpstreamCalls?: number
  /** Longest wait for an upstream that has room for a call, in ms. Default 5,000. */
  readonly maxQueueMs?: number
  /** Most calls of a batch in flight; the others wait for them. Default: three quarters of `maxUpstreamCalls`. */
  readonly maxBatchInFlight?: number
  /** Most connections of the JSON-RPC listener. Default 20,000. */
  readonly maxConnections?: number
  /**
   * Most bytes that callers of JSON-RPC make this process hold: requests, answers and what is not sent yet, in all; one project at most
   * nine tenths of it, and an equal part while others need theirs. Default: a quarter of the memory, at most 192 MiB.
   */
  readonly maxHeldBytes?: number
  /** How often a WebSocket is pinged, and how long it may take to answer, in ms. Default 30,000. */
  readonly webSocketPingMs?: number
  /** How long nothing but pings may pass before a WebSocket is closed, or no event before a stream of them ends, in ms. Default 3,600,000. */
  readonly webSocketIdleMs?: number
}

/** The IPFS API (Spec §4.12): the place of its content, and its bounds. */
export type IpfsConfig = LocalIpfsConfig | KuboIpfsConfig

interface IpfsBounds {
  /** Longest request, in bytes. Default 100,000,000. */
  readonly maxRequestBytes?: number
  /** Most parts of an upload, and of all that run: each takes some 5 KB of memory. Default 1,000,000. */
  readonly maxParts?: number
  /** How long a caller may send or take nothing, in ms; also the longest wait for a turn of `maxCalls`. Default 60,000. */
  readonly stallMs?: number
  /** Most calls at once; projects share them fairly, and others wait. Default 48. */
  readonly maxCalls?: number
}

/** Content in files of this machine. */
export interface LocalIpfsConfig extends IpfsBounds {
  readonly backend: 'local'
  /** A folder that nobody else uses. Default: `ipfs` in `dataDir`, which has to be given then. */
  readonly dir?: string
  /** Trustless gateways (http or https URLs), in order, that missing content is fetched from. Default: none. */
  readonly gateways?: readonly string[]
  /** Whether larger blocks bypass the cache of the system: for content that comes faster than it is read. Default false. */
  readonly direct?: boolean
  /** How often content that no project pins is removed, in ms; first at most ten minutes after the start. Default 3,600,000. */
  readonly collectEveryMs?: number
  /** Most blocks that one call writes, new or not. Default 1,200,000. */
  readonly maxBlocks?: number
  /** Unpinned bytes on the disk beyond which it is removed at once. Default 1,073,741,824 (1 GiB). */
  readonly maxUnpinnedBytes?: number
  /** Free bytes of the disk below which unpinned content is removed at once. Default 1,073,741,824 (1 GiB). */
  readonly minFreeBytes?: number
}

/** Content in a Kubo, or in an IPFS Cluster by its proxy. */
export interface KuboIpfsConfig extends IpfsBounds {
  readonly backend: 'kubo'
  /** The URL of its RPC, such as `http://kubo:5001`; credentials in it become a header. */
  readonly url: string
}

/** Picks out the settings that only EVM networks and rollups have. */
export function evmSettings(network: NetworkConfig): EvmNetworkConfig | undefined {
  return network.kind === 'evm' || network.kind === 'rollup' ? network : undefined
}

/** Whether answers of some upstream of a network are checked. */
export function verifies(network: NetworkConfig): boolean {
  const { upstreams, verify = 'off' } = evmSettings(network) ?? { upstreams: [] }
  return upstreams.some(
    (upstream) => ((typeof upstream === 'string' ? undefined : upstream.verify) ?? verify) !== 'off',
  )
}

/** Picks the version of the interface that callers speak who name none, where the kind has several. */
export function apiVersionOf(network: NetworkConfig): string | undefined {
  return 'specVersion' in network ? network.specVersion : undefined
}

/** Gives a configuration its type in a `.ts` file. */
export function defineConfig(config: Config): Config {
  return config
}
