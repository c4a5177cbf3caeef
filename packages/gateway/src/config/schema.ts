import { isApiKey, isApiSecret } from '@wayleave/auth'
import type { VerificationLevel } from '@wayleave/evm-verify'
import { boolean, integer, is, oneOf, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type {
  AdminConfig,
  Config,
  EvmNetworkConfig,
  GasConfig,
  KeyConfig,
  LimitsConfig,
  ListenConfig,
  MethodsConfig,
  NetworkConfig,
  ProjectConfig,
  StarknetNetworkConfig,
  StoreConfig,
  TlsConfig,
  UpstreamConfig,
} from './config.ts'
import { chainFelt } from '../networks/chain-felt.ts'
import { ipfsShape, projectIpfsShape } from './ipfs-schema.ts'
import { isObject, leaf, list, members, named, optional, type Shape, textOr } from './shape.ts'

const name = leaf(text('a name of letters, digits, - and _', /^[A-Za-z0-9][\w-]{0,62}$/))
const address: Shape<string> = leaf(
  is('host:port, such as 127.0.0.1:8545', (value) => {
    const port = typeof value === 'string' ? /^(?:\[[\da-fA-F:]+\]|[\w.-]+):(\d{1,5})$/.exec(value)?.[1] : undefined
    return port !== undefined && Number(port) <= 65_535
  }),
)
const httpUrl: Shape<string> = leaf(is('an http or https URL', (value) => hasProtocol(value, ['http:', 'https:'])))
const upstreamUrl: Shape<string> = leaf(
  is('an http, https, ws or wss URL', (value) => hasProtocol(value, ['http:', 'https:', 'ws:', 'wss:'])),
)
const count = leaf(integer('a whole number above 0', 1))
/** Above it, `ws` takes a cap for none, and some versions of Node throw. */
const bytes = leaf(integer('a whole number of bytes above 0, at most 2 GiB - 1', 1, 2 ** 31 - 1))
/** Longer waits would overflow a timer. */
const milliseconds = leaf(integer('a whole number of milliseconds above 0, at most 24 days', 1, 2 ** 31 - 1))
const pem = leaf(text('the path of a PEM file, or PEM text', /^[^\0]+$/))

const tls = members<TlsConfig>('{ cert, key }', {
  cert: pem,
  key: pem,
  minVersion: optional(leaf(oneOf('TLSv1.2', 'TLSv1.3'))),
})

const listen = members<ListenConfig>('the addresses to listen on', {
  rpc: optional(address),
  ipfs: optional(address),
  admin: optional(address),
  tls: optional(tls),
})

const admin = members<AdminConfig>('{ token }', { token: leaf(text('a token of at least 16 characters', /^.{16,}$/)) })

const headers: Shape<Readonly<Record<string, string>>> = leaf(
  is(
    'an object of header names and their values in printable latin letters',
    (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.entries(value).every(isHeader),
  ),
)

const verify: Shape<VerificationLevel> = leaf(oneOf('off', 'consistent', 'proven'))

const upstreamObject = members<UpstreamConfig>(
  '{ url }',
  { url: upstreamUrl, name: optional(name), headers: optional(headers), verify: optional(verify) },
  ['weight'],
)

const upstream: Shape<string | UpstreamConfig> = textOr('a URL or { url }', upstreamUrl, upstreamObject)

const gasObject = members<GasConfig>('false or { strategy? }', {
  strategy: optional(leaf(oneOf('wayleave', 'metamask'))),
  maxAgeMs: optional(milliseconds),
  blocksOnDemand: optional(leaf(boolean)),
})

const gas: Shape<GasConfig | false> = {
  expected: gasObject.expected,
  faults: (value, path) => (value === false ? [] : gasObject.faults(value, path)),
}

/** What tells the members of a network apart stands in no shape of its own, so each names all kinds. */
const anyKind = '"evm", "rollup" or "starknet"'

const evmNetwork = members<EvmNetworkConfig>(
  'a network',
  {
    kind: leaf(is<EvmNetworkConfig['kind']>(anyKind, (value) => value === 'evm' || value === 'rollup')),
    chainId: leaf(integer('a chain id', 1)),
    upstreams: list(upstream, 1),
    rollupNode: optional(httpUrl),
    rollupMode: optional(leaf(oneOf('sequencer', 'verifier'))),
    verify: optional(verify),
    gas: optional(gas),
  },
  ['specVersion'],
  'no such member: only a network of kind starknet has it',
)

const notOfStarknet = 'no such member: a network of kind starknet has none'

const starknetUpstream = members<Omit<UpstreamConfig, 'verify'>>(
  '{ url }',
  { url: upstreamUrl, name: optional(name), headers: optional(headers) },
  ['verify'],
  notOfStarknet,
)

const starknetNetwork = members<StarknetNetworkConfig>(
  'a network',
  {
    kind: leaf(is<StarknetNetworkConfig['kind']>(anyKind, (value) => value === 'starknet')),
    chainId: leaf(
      is(
        'a chain id as text, such as SN_MAIN, or as a felt in hex',
        (value) => typeof value === 'string' && chainFelt(value) !== undefined,
      ),
    ),
    upstreams: list(textOr('a URL or { url }', upstreamUrl, starknetUpstream), 1),
    specVersion: optional(leaf(oneOf('0.5.1', '0.6', '0.7', '0.8', '0.9', '0.10'))),
  },
  ['rollupNode', 'rollupMode', 'verify', 'gas'],
  notOfStarknet,
)

const network: Shape<NetworkConfig> = {
  expected: evmNetwork.expected,
  faults: (value, path) =>
    (isObject(value) && value['kind'] === 'starknet' ? starknetNetwork : evmNetwork).faults(value, path),
}

/** What stands first in a path is a network, unless it is one of these. */
const slug: Schema<string> = is(
  'a slug of lower-case letters, digits and -, that is not a path of its own',
  (value) =>
    typeof value === 'string' &&
    /^[a-z0-9][a-z0-9-]{0,62}$/.test(value) &&
    !/^(ws|healthz|readyz|networks|v\d+)$/.test(value),
)

const sqliteStore = members<{ readonly sqlite: string }>('{ sqlite }', {
  sqlite: leaf(text('the path of a file', /^[^\0]+$/)),
})
const postgresStore = members<{ readonly postgres: string }>('{ postgres }', {
  postgres: leaf(is('a postgres or postgresql URL', (value) => hasProtocol(value, ['postgres:', 'postgresql:']))),
})

const anyStore = '"memory", { sqlite } or { postgres }'
const store: Shape<StoreConfig> = {
  expected: anyStore,
  faults(value, path) {
    if (value === 'memory') return []
    if (isObject(value) && Object.hasOwn(value, 'postgres')) return postgresStore.faults(value, path)
    if (isObject(value) && Object.hasOwn(value, 'sqlite')) return sqliteStore.faults(value, path)
    return [{ path, expected: anyStore, got: 'something else' }]
  },
}

const key = members<KeyConfig>('{ key, secret? }', {
  key: leaf(is('a key of 1 to 128 letters, digits, - and _', (value) => typeof value === 'string' && isApiKey(value))),
  secret: optional(
    leaf(
      is(
        'a secret of 1 to 1,024 characters, none of them a control character',
        (value) => typeof value === 'string' && isApiSecret(value),
      ),
    ),
  ),
})

const project = members<ProjectConfig>('a project', {
  name,
  id: optional(name),
  keys: list(key),
  networks: optional(list(name)),
  requireSecret: optional(leaf(boolean)),
  billingCard: optional(leaf(boolean)),
  ipfs: optional(projectIpfsShape),
})

const methods = members<MethodsConfig>('{ deny }', {
  deny: optional(list(leaf(text('a method name, or a prefix that ends in *', /^\w+\*?$/)))),
})

const limits = members<LimitsConfig>('limits', {
  requestTimeoutMs: optional(milliseconds),
  readTimeoutMs: optional(milliseconds),
  maxBodyBytes: optional(bytes),
  maxBatch: optional(count),
  maxUpstreamBytes: optional(bytes),
  maxSubscriptions: optional(count),
  maxInFlight: optional(count),
  maxConnections: optional(count),
  webSocketPingMs: optional(milliseconds),
  webSocketIdleMs: optional(milliseconds),
})

/** What {@link Config} describes, member by member. */
export const configShape: Shape<Config> = members<Config>(
  'a configuration object',
  {
    dataDir: optional(leaf(text('a folder', /./))),
    store: optional(store),
    listen: optional(listen),
    admin: optional(admin),
    defaultNetwork: optional(name),
    networks: named(slug, network),
    bareHosts: optional(list(leaf(text('a host name', /^[\w.-]+$/)))),
    onlyLocal: optional(leaf(boolean)),
    methods: optional(methods),
    ipfs: optional(ipfsShape),
    projects: optional(list(project)),
    limits: optional(limits),
  },
  ['redis'],
)

/** RFC 9110 §5.1, §5.5. */
function isHeader([header, value]: readonly [string, unknown]): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(header) && typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function hasProtocol(value: unknown, protocols: readonly string[]): boolean {
  return typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol)
}
