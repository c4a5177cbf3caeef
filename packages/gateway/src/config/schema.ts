import { isApiKey, isApiSecret } from '@wayleave/auth'
import {
  array,
  boolean,
  choice,
  integer,
  is,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  text,
} from '@wayleave/jsonrpc-core/schema'
import type {
  AdminConfig,
  Config,
  KeyConfig,
  LimitsConfig,
  ListenConfig,
  MethodsConfig,
  NetworkConfig,
  ProjectConfig,
  UpstreamConfig,
} from './config.ts'

const closed = { closed: true } as const

const name = text('a name of letters, digits, - and _', /^[A-Za-z0-9][\w-]{0,62}$/)
const address: Schema<string> = is('host:port, such as 127.0.0.1:8545', (value) => {
  const port = typeof value === 'string' ? /^(?:\[[\da-fA-F:]+\]|[\w.-]+):(\d{1,5})$/.exec(value)?.[1] : undefined
  return port !== undefined && Number(port) <= 65_535
})
const httpUrl: Schema<string> = is('an http or https URL', (value) => hasProtocol(value, ['http:', 'https:']))
const upstreamUrl: Schema<string> = is('an http, https, ws or wss URL', (value) =>
  hasProtocol(value, ['http:', 'https:', 'ws:', 'wss:']),
)
const count = integer('a whole number above 0', 1)

const listen = object<ListenConfig>(
  'the addresses to listen on',
  { rpc: optional(address), ipfs: optional(address), admin: optional(address) },
  closed,
)

const admin = object<AdminConfig>('{ token }', { token: text('a token of at least 16 characters', /^.{16,}$/) }, closed)

const headers: Schema<Readonly<Record<string, string>>> = is(
  'an object of header names and their values in printable latin letters',
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.entries(value).every(isHeader),
)

const upstreamObject = object<UpstreamConfig>(
  '{ url }',
  { url: upstreamUrl, name: optional(name), headers: optional(headers) },
  closed,
)

const upstream: Schema<string | UpstreamConfig> = choice('a URL or { url }', (value) =>
  typeof value === 'string' ? upstreamUrl : upstreamObject,
)

const network = object<NetworkConfig>(
  'a network',
  {
    kind: oneOf('evm', 'rollup'),
    chainId: integer('a chain id', 1),
    upstreams: array(upstream),
    rollupNode: optional(httpUrl),
    rollupMode: optional(oneOf('sequencer', 'verifier')),
  },
  closed,
)

const key = object<KeyConfig>(
  '{ key, secret? }',
  {
    key: is('a key of 1 to 128 letters, digits, - and _', (value) => typeof value === 'string' && isApiKey(value)),
    secret: optional(
      is(
        'a secret of 1 to 1,024 characters, none of them a control character',
        (value) => typeof value === 'string' && isApiSecret(value),
      ),
    ),
  },
  closed,
)

const project = object<ProjectConfig>(
  'a project',
  { name, keys: array(key), networks: optional(array(name)), requireSecret: optional(boolean) },
  closed,
)

const methods = object<MethodsConfig>(
  '{ deny }',
  { deny: optional(array(text('a method name, or a prefix that ends in *', /^\w+\*?$/))) },
  closed,
)

const limits = object<LimitsConfig>(
  'limits',
  {
    requestTimeoutMs: optional(count),
    maxBodyBytes: optional(count),
    maxBatch: optional(count),
    maxUpstreamBytes: optional(count),
    maxSubscriptions: optional(count),
    maxInFlight: optional(count),
  },
  closed,
)

/** Checks what {@link Config} describes; messages never hold a value of a member that may be secret. */
export const configSchema: Schema<Config> = object<Config>(
  'a configuration object',
  {
    dataDir: optional(text('a folder', /./)),
    listen: optional(listen),
    admin: optional(admin),
    defaultNetwork: optional(name),
    networks: record(network),
    bareHosts: optional(array(text('a host name', /^[\w.-]+$/))),
    onlyLocal: optional(boolean),
    methods: optional(methods),
    projects: optional(array(project)),
    limits: optional(limits),
  },
  closed,
)

/** RFC 9110 §5.1, §5.5. */
function isHeader([header, value]: readonly [string, unknown]): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(header) && typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function hasProtocol(value: unknown, protocols: readonly string[]): boolean {
  return typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol)
}
