import { parseAddressRange } from '@wayleave/auth'
import {
  array,
  boolean,
  choice,
  integer,
  oneOf,
  record,
  secret,
  shown,
  text,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'
import {
  cache,
  defaultsOf,
  exact,
  filePath,
  filled,
  isObject,
  methodPattern,
  name,
  networkSchema,
  redis,
  refusal,
  required,
  setting,
  slug,
  stringThat,
  url,
} from '@wayleave/network/config'
import { admin } from './admin-config.ts'
import { ipfs } from './ipfs-config.ts'
import { limitsSchema } from './limits.ts'
import { listen } from './listen-config.ts'
import { plan, prices, usage, webhook } from './metering-config.ts'
import { project } from './project-config.ts'
import { shutdown } from './shutdown-config.ts'
import { log, metrics, tracing } from './telemetry-config.ts'

const hostName = text('a host name', /^[\w.-]+$/)

const addressRange = stringThat(
  'an IP address or a CIDR block such as 10.0.0.0/8',
  (value) => parseAddressRange(value) !== undefined,
)

const memoryStore = oneOf('memory')
const sqliteStore = exact('{ sqlite }', { sqlite: filePath('the path of a file') })
const postgresStore = exact('{ postgres }', {
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

const methodsMembers = {
  deny: setting(
    filled(array(shown(methodPattern))),
    'Names, or prefixes that end in `*`, in any case; where there are any, names with other characters than ASCII letters, digits and `_` are denied, too. They are denied beside those of `denyByDefault`. Default: none.',
  ),
  denyByDefault: setting(
    shown(boolean),
    'Whether `admin_*`, `personal_*`, `debug_setHead` and `engine_*` are denied, which reach into a node.',
    true,
  ),
}
const methods = exact('{ deny?, denyByDefault? }', methodsMembers)

const members = {
  dataDir: setting(shown(filePath('a folder')), 'The folder for state. Default: none.'),
  store: setting(
    store,
    'The database for state. Default: the file `wayleave.sqlite` in `dataDir` if that is given, else memory.',
  ),
  listen: setting(listen),
  admin: setting(admin, 'The admin listener: its tokens, its names and its console.'),
  defaultNetwork: setting(shown(name), 'The network of a bare host. Default: the only network, if there is just one.'),
  networks: required(record(networkSchema, slug), 'By slug, such as `mainnet` or `base-sepolia`.'),
  bareHosts: setting(array(shown(hostName)), 'Hosts whose first label names no network, such as `rpc.example.org`.'),
  onlyLocal: setting(
    boolean,
    'Serves only programs and web pages of this machine, as `Host` and `Origin` tell.',
    false,
  ),
  trustedProxies: setting(
    array(shown(addressRange)),
    "IP addresses and CIDR blocks of proxies that may tell their callers' addresses in `X-Forwarded-For`. Default: none.",
  ),
  methods: setting(methods, 'Methods that nobody may call.'),
  redis: setting(
    redis,
    'The URL of a Redis through which replicas share state; of a Redis Cluster, some of its nodes. Default: none is shared.',
  ),
  replicas: setting(
    shown(integer('a number of processes', 1, 10_000)),
    'The processes that share limits by `redis`, at least: those that it has heard of lately count, too.',
    1,
  ),
  ipfs: setting(
    ipfs,
    'Default: the IPFS API is not served. Its pins are kept in `store`, which then must outlast a restart.',
  ),
  projects: setting(array(project), 'The callers, beside those of the `store`. Default: none.'),
  plans: setting(
    record(plan, name),
    'Limits by name, which any number of projects and keys may name. Default: nobody is limited.',
  ),
  prices: setting(prices, 'Credits of calls, in place of the default ones.'),
  usage: setting(usage, 'The spool and the age of usage; it is counted unless `store` is memory.'),
  webhook: setting(webhook, 'Receives the warnings of quotas, beside the log and the metrics. Default: nobody.'),
  cache: setting(
    cache,
    'Keeps answers, so that the same question is asked once; `false`: none. Default: all networks share one cache.',
  ),
  tracing: setting(tracing, 'Sends traces of calls to a collector. Default: none are made.'),
  limits: setting(limitsSchema, 'Bounds of the process, and of each connection and call.'),
  shutdown: setting(shutdown, 'The end of the gateway.'),
  log: setting(log, 'The log, on stderr.'),
  metrics: setting(metrics, 'The metrics of the admin listener.'),
}

/**
 * The schema of a {@link Config}, from which the editor schema and `docs/configuration.md` are printed. A value is secret unless `shown`
 * marks it: a member that is added here without a mark hides its values.
 */
export const configSchema = secret(exact('a configuration object', members))

/** The configuration that an operator writes. Unknown members are refused; see the README for an example. */
export type Config = TypeOf<typeof configSchema>

/** Memory, which ends with the process; an SQLite file; or the URL of a PostgreSQL database. */
export type StoreConfig = 'memory' | TypeOf<typeof sqliteStore> | TypeOf<typeof postgresStore>

export const configDefaults = defaultsOf(members)
export const methodsDefaults = defaultsOf(methodsMembers)

/** Gives a configuration its type in a `.ts` file. */
export function defineConfig(config: Config): Config {
  return config
}
