import type { IssuePath } from '@wayleave/jsonrpc-core/schema'

/** Reasons by the members that end a path, the more exact ones first. */
const reasons: readonly (readonly [end: RegExp, why: string])[] = [
  [/circuitBreaker$/, 'each upstream has a circuit breaker, without settings'],
  [/lowParticipantsBehavior$/, 'too few answers to compare are an error'],
  [/retry$/, 'what fails is tried at the other upstreams, without settings'],
  [/hedge$/, 'a slow call is asked of another upstream, too, after a time that is measured'],
  [
    /(?:upstreams\.\d+|upstreamDefaults)\.failsafe(?:\..*)?$/,
    'waits are of networks and projects (`timeouts`); retries, hedges and circuit breakers have no settings',
  ],
  [/failsafe(?:\.\d+)?$/, 'retries, hedges and circuit breakers have no settings here'],
  [/selectionPolicy(?:\..*)?$/, 'write it as the function `policy` of the network, in a .ts configuration'],
  [
    /(?:routing|scoreMultipliers|score\w+|routingStrategy)(?:\..*)?$/,
    'upstreams are ordered by what is measured; `weight`, `price` and `policy` change it',
  ],
  [/upstreams\.\d+\.evm\.|upstreamDefaults\.evm/, 'heads, history and ranges of logs are found out by asking the node'],
  [/networks\.\d+\.evm\.getLogs/, 'ranges of logs are split by what upstreams take; `limits.maxLogBlocks` bounds them'],
  [/(?:networks\.\d+|networkDefaults)\.(?:evm\.)?integrity/, '`followHeads` and `verify` do that here'],
  [/networks\.\d+\.evm\.|networkDefaults\.evm/, 'heads are followed and nulls asked again without settings'],
  [/directiveDefaults(?:\..*)?$/, '`projects[].directives` has the defaults of requests'],
  [/(?:networks\.\d+|networkDefaults)\.rateLimitBudget$/, 'limits are of projects and keys; a network has none'],
  [/rateLimitAutoTune(?:\..*)?$/, 'an upstream that refuses calls is asked less, without settings'],
  [/rateLimiters\.budgets\.\d+$/, 'nothing names this budget'],
  [/rateLimiters\.budgets/, '`plans` and `budget` count calls by second, day and month'],
  [/multiplexing$/, 'equal reads in flight are always shared'],
  [
    /jsonRpc(?:\.(?:supportsBatch|batch\w+|enableGzip))?$/,
    'an upstream is asked call by call, over connections that are kept',
  ],
  [/proxyPool(?:s.*)?$/, 'upstreams are reached without a proxy'],
  [/autoIgnoreUnsupportedMethods$/, 'methods that an upstream lacks are always learnt'],
  [/shadow(?:\..*)?$/, 'there are no shadow upstreams'],
  [/methods(?:\..*)?$/, 'the cache knows the methods'],
  [
    /cors(?:\..*)?$/,
    'pages of all origins may call with a key; `projects[].rules.origins` allows some origins, and then nobody without one',
  ],
  [
    /strategies\.\d+\.(?:allow|ignore)Methods$/,
    '`projects[].rules.methods` holds for all keys of a project: make a project for this one',
  ],
  [/jwt\.\w+$/, 'a JWT is checked by its key, `aud` and `exp` alone'],
  [/auth(?:\..*)?$/, 'callers are let in by keys, JWTs and `projects[].rules`'],
  [/evmJsonRpcCache\.policies(?:\..*)?$/, 'answers are kept by what the chain has made final, without settings'],
  [/evmJsonRpcCache(?:\..*)?$/, 'the cache is in memory, and in a Redis behind it'],
  [/(?:sharedState|rateLimiters\.store)(?:\..*)?$/, 'replicas share state by `redis` alone'],
  [/^logLevel$/, 'write it as log.level: debug, info, warn or error'],
  [/^clusterKey$/, 'replicas find each other by `redis`'],
  [/^healthCheck/, '/healthz and /readyz are always served'],
  [/^tracing/, 'write it as tracing: the endpoint of a collector that takes OTLP over HTTP in JSON, and the sample'],
  [/^admin/, 'the admin API listens on `listen.admin` and takes `admin.token`'],
  [/^metrics/, 'metrics have no settings but `listen.admin`'],
  [/aliasing(?:\..*)?$/, 'a host name names a network by its first label; `bareHosts` lists those that do not'],
  [/^server\.tls\./, 'certificates of callers are not asked for'],
  [/^server\.webSocket(?:\..*)?$/, 'callers always have WebSockets, at /ws/v3/KEY'],
  [/^server\./, 'the server has no such setting'],
  [/userAgentMode$/, 'usage is not split by user agent'],
]

/** Says why a member of an eRPC configuration has no place here. */
export function whyLeft(path: IssuePath): string {
  const dotted = path.join('.')
  return reasons.find(([end]) => end.test(dotted))?.[1] ?? 'there is no such setting'
}
