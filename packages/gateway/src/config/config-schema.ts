import { parseAddressRange } from '@wayleave/auth'
import {
  array,
  boolean,
  choice,
  integer,
  is,
  nonEmptyArray,
  oneOf,
  optional,
  record,
  type Schema,
  secret,
  shown,
  text,
} from '@wayleave/jsonrpc-core/schema'
import type {
  Config,
  EvmNetworkConfig,
  GasConfig,
  IpfsConfig,
  KuboIpfsConfig,
  LimitsConfig,
  ListenConfig,
  LocalIpfsConfig,
  MethodsConfig,
  NetworkConfig,
  StarknetNetworkConfig,
  StoreConfig,
  TlsConfig,
} from './config.ts'
import { chainFelt } from '../networks/chain-felt.ts'
import { isKindName, type KindName } from '../networks/chain-kinds.ts'
import { plan, prices, usage, webhook } from './metering-config.ts'
import { admin } from './admin-schema.ts'
import { project } from './project-schema.ts'
import {
  bytes,
  bytesInMemory,
  count,
  methodPattern,
  exact,
  filled,
  isObject,
  milliseconds,
  name,
  refusal,
  stringThat,
  url,
} from './schema-parts.ts'
import { cache, noCache } from './cache-config.ts'
import { consensus } from './consensus-config.ts'
import { policy } from './policy-schema.ts'
import { redis } from './redis-schema.ts'
import { shutdown } from './shutdown-config.ts'
import { log, metrics } from './telemetry-config.ts'
import { tracing } from './tracing-config.ts'
import { timeouts } from './timeouts-config.ts'
import { unverifiedUpstream, upstream, verify } from './upstream-schema.ts'

const hostAndPort = /^(?:\[[\da-fA-F:]+\]|[\w.-]+):(\d{1,5})$/
const address = stringThat(
  'host:port, such as 127.0.0.1:8545',
  (value) => {
    const port = hostAndPort.exec(value)?.[1]
    return port !== undefined && Number(port) <= 65_535
  },
  { pattern: hostAndPort.source },
)
const httpUrl = url('an http or https URL', ['http:', 'https:'])
const pem = text('the path of a PEM file, or PEM text', /^[^\0]+$/)

const listen = exact<ListenConfig>('the addresses to listen on', {
  rpc: optional(shown(address)),
  ipfs: optional(shown(address)),
  admin: optional(shown(address)),
  tls: optional(
    exact<TlsConfig>('{ cert, key }', {
      cert: pem,
      key: pem,
      minVersion: optional(shown(oneOf('TLSv1.2', 'TLSv1.3'))),
    }),
  ),
})

const hostName = text('a host name', /^[\w.-]+$/)

const addressRange = stringThat(
  'an IP address or a CIDR block such as 10.0.0.0/8',
  (value) => parseAddressRange(value) !== undefined,
)

const gasObject = exact<GasConfig>('false or { strategy? }', {
  strategy: optional(shown(oneOf('wayleave', 'metamask'))),
  maxAgeMs: optional(shown(milliseconds)),
  blocksOnDemand: optional(shown(boolean)),
})
const noGas = is<false>(
  'false',
  (value) => value === false,
  () => ({ const: false }),
)
const gas = choice<GasConfig | false>(gasObject.expected, (value) => (value === false ? noGas : gasObject), [
  noGas,
  gasObject,
])

/** Names every kind: a network of an unknown one is checked as one of EVM. */
const anyKind = '"evm", "rollup" or "starknet"'

const evmNetwork = exact<EvmNetworkConfig>(
  'a network',
  {
    kind: shown(kind<EvmNetworkConfig['kind']>('evm', 'rollup')),
    chainId: optional(shown(integer('a chain id', 1))),
    upstreams: nonEmptyArray(upstream),
    broadcast: optional(shown(integer('a number of upstreams', 1, 100))),
    rollupNode: optional(httpUrl),
    followHeads: optional(shown(boolean)),
    rollupMode: optional(shown(oneOf('sequencer', 'verifier'))),
    verify: optional(verify),
    consensus: optional(consensus),
    policy: optional(policy),
    gas: optional(gas),
    cache: optional(shown(noCache)),
    timeouts: optional(timeouts),
  },
  { specVersion: 'no such member: only a network of kind starknet has it' },
)

const notOfStarknet = 'no such member: a network of kind starknet has none'

const starknetNetwork = exact<StarknetNetworkConfig>(
  'a network',
  {
    kind: shown(kind<StarknetNetworkConfig['kind']>('starknet')),
    chainId: optional(
      shown(
        stringThat('a chain id as text, such as SN_MAIN, or as a felt in hex', (id) => chainFelt(id) !== undefined),
      ),
    ),
    upstreams: nonEmptyArray(unverifiedUpstream(notOfStarknet)),
    followHeads: optional(shown(boolean)),
    specVersion: optional(shown(oneOf('0.5.1', '0.6', '0.7', '0.8', '0.9', '0.10'))),
    policy: optional(policy),
    cache: optional(shown(noCache)),
    timeouts: optional(timeouts),
  },
  {
    broadcast: notOfStarknet,
    rollupNode: notOfStarknet,
    rollupMode: notOfStarknet,
    verify: notOfStarknet,
    consensus: notOfStarknet,
    gas: notOfStarknet,
  },
)

const networks = { evm: evmNetwork, rollup: evmNetwork, starknet: starknetNetwork } satisfies Record<KindName, unknown>

const network = choice<NetworkConfig>(
  'a network',
  (value) => (isObject(value) && isKindName(value['kind']) ? networks[value['kind']] : evmNetwork),
  [...new Set(Object.values(networks))],
)

/** The first segment of a path is a network, unless it is one of these. */
const slug = text(
  'a slug of lower-case letters, digits and -, that is not a path of its own',
  /^(?!(?:ws|healthz|readyz|networks|v\d+)$)[a-z0-9][a-z0-9-]{0,62}$/,
)

const memoryStore = oneOf('memory')
const sqliteStore = exact<{ readonly sqlite: string }>('{ sqlite }', {
  sqlite: text('the path of a file', /^[^\0]+$/),
})
const postgresStore = exact<{ readonly postgres: string }>('{ postgres }', {
  postgres: url('a postgres or postgresql URL', ['postgres:', 'postgresql:']),
})
const noStore = refusal('"memory", { sqlite } or { postgres }')
const store = choice<StoreConfig>(
  noStore.expected,
  (value) => {
    if (value === 'memory') return memoryStore
    if (isObject(value) && Object.hasOwn(value, 'postgres')) return postgresStore
    return isObject(value) && Object.hasOwn(value, 'sqlite') ? sqliteStore : noStore
  },
  [memoryStore, sqliteStore, postgresStore],
)

const ipfsBounds = {
  maxRequestBytes: optional(shown(bytes)),
  maxParts: optional(shown(count)),
  stallMs: optional(shown(milliseconds)),
  maxCalls: optional(shown(count)),
}
const localIpfs = exact<LocalIpfsConfig>('{ backend: "local", dir?, gateways? }', {
  backend: shown(oneOf('local')),
  dir: optional(shown(text('the path of a folder', /^[^\0]+$/))),
  gateways: optional(array(httpUrl)),
  direct: optional(shown(boolean)),
  collectEveryMs: optional(shown(milliseconds)),
  maxBlocks: optional(shown(count)),
  maxUnpinnedBytes: optional(shown(bytes)),
  minFreeBytes: optional(shown(bytes)),
  ...ipfsBounds,
})
const kuboIpfs = exact<KuboIpfsConfig>('{ backend: "kubo", url }', {
  backend: shown(oneOf('kubo')),
  url: httpUrl,
  ...ipfsBounds,
})
const noIpfs = refusal('an object whose backend is "local" or "kubo"')
const otherIpfs = refusal('"local" or "kubo"', 'another value', '.backend')
const ipfs = choice<IpfsConfig>(
  noIpfs.expected,
  (value) => {
    if (!isObject(value)) return noIpfs
    if (value['backend'] === 'local') return localIpfs
    return value['backend'] === 'kubo' ? kuboIpfs : otherIpfs
  },
  [localIpfs, kuboIpfs],
)

const methods = exact<MethodsConfig>('{ deny?, denyByDefault? }', {
  deny: optional(filled(array(shown(methodPattern)))),
  denyByDefault: optional(shown(boolean)),
})

const limits = exact<LimitsConfig>('limits', {
  requestTimeoutMs: optional(shown(milliseconds)),
  readTimeoutMs: optional(shown(milliseconds)),
  maxBodyBytes: optional(shown(bytesInMemory)),
  maxBatch: optional(shown(count)),
  maxUpstreamBytes: optional(shown(bytesInMemory)),
  maxSubscriptions: optional(shown(count)),
  maxFilters: optional(shown(count)),
  maxLogBlocks: optional(shown(count)),
  maxProvenLogBlocks: optional(shown(count)),
  maxLogBytes: optional(shown(bytesInMemory)),
  maxInFlight: optional(shown(count)),
  maxCalls: optional(shown(count)),
  maxUpstreamCalls: optional(shown(count)),
  maxQueueMs: optional(shown(milliseconds)),
  maxBatchInFlight: optional(shown(count)),
  maxConnections: optional(shown(count)),
  maxHeldBytes: optional(shown(bytes)),
  webSocketPingMs: optional(shown(milliseconds)),
  webSocketIdleMs: optional(shown(milliseconds)),
})

/** Checks a {@link Config}. A value is secret unless `shown` marks it: a member that is added here without a mark hides its values. */
export const configSchema: Schema<Config> = secret(
  exact<Config>('a configuration object', {
    dataDir: optional(shown(text('a folder', /./))),
    store: optional(store),
    listen: optional(listen),
    admin: optional(admin),
    defaultNetwork: optional(shown(name)),
    networks: record(network, slug),
    bareHosts: optional(array(shown(hostName))),
    onlyLocal: optional(boolean),
    trustedProxies: optional(array(shown(addressRange))),
    methods: optional(methods),
    redis: optional(redis),
    replicas: optional(shown(integer('a number of processes', 1, 10_000))),
    ipfs: optional(ipfs),
    projects: optional(array(project)),
    plans: optional(record(plan, name)),
    prices: optional(prices),
    usage: optional(usage),
    webhook: optional(webhook),
    cache: optional(cache),
    tracing: optional(tracing),
    limits: optional(limits),
    shutdown: optional(shutdown),
    log: optional(log),
    metrics: optional(metrics),
  }),
)

function kind<K extends NetworkConfig['kind']>(...kinds: readonly K[]): Schema<K> {
  return is(
    anyKind,
    (value) => (kinds as readonly unknown[]).includes(value),
    () => ({ enum: kinds }),
  )
}
