import { isWeakKey, minKeyLength, parseAddressRange } from '@wayleave/auth'
import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'
import type { Plan } from '@wayleave/metering'
import { chainKinds } from '@wayleave/network'
import {
  evmSettings,
  isSocketUrl,
  namedUpstream,
  type NetworkConfig,
  nodesOf,
  sameNodeWarnings,
} from '@wayleave/network/config'
import { cacheWarnings } from './cache-warnings.ts'
import type { Suspicion } from './check.ts'
import type { Config } from './config.ts'
import { accessDefaults } from './telemetry-config.ts'
import { isSameChain, knownChains } from './known-chains.ts'
import { limitsOf } from './limits.ts'
import { nameWarnings } from './name-warnings.ts'
import { groupWarnings, methodWarnings, probeWarnings, socketWarnings } from './upstream-warnings.ts'

/** The warnings, each of which reads a checked configuration. */
const rows: readonly ((config: Config) => readonly Suspicion[])[] = [
  ({ networks }) => Object.entries(networks).flatMap(([slug, network]) => networkWarnings(slug, network)),
  groupWarnings,
  keyWarnings,
  tokenWarnings,
  proxyWarnings,
  limitWarnings,
  quotaWarnings,
  cacheWarnings,
  logWarnings,
  nameWarnings,
  markWarnings,
  freeWarnings,
  (config) => emptyWarnings(config),
]

/** Values of a checked configuration that are allowed and probably not meant. */
export function configWarnings(config: Config): readonly Suspicion[] {
  return rows.flatMap((warningsOf) => warningsOf(config))
}

/** Warns of keys that could be guessed. */
function keyWarnings({ projects = [] }: Config): readonly Issue[] {
  return projects.flatMap(({ keys }, i) =>
    keys.flatMap((entry, j) => {
      if (!('key' in entry) || !isWeakKey(entry.key)) return []
      const expected = `at least ${minKeyLength} characters, as a shorter key can be guessed`
      return [{ path: ['projects', i, 'keys', j, 'key'], expected, received: 'fewer' }]
    }),
  )
}

/** Words that guessers try first. */
const guessed = /admin|password|passwd|changeme|change-me|secret|wayleave|token|test|default|example|12345|qwerty/i
/** A token of fewer different characters is a pattern. */
const leastDistinct = 10

/** Warns of a token of operators that could be guessed. */
function tokenWarnings({ admin: { token } = {} }: Config): readonly Suspicion[] {
  if (token === undefined || (new Set(token).size >= leastDistinct && !guessed.test(token))) return []
  const expected = 'a token that nobody can guess'
  const hint = 'make one by openssl rand -hex 32, and give it as ${file:…} or ${NAME}'
  return [{ path: ['admin', 'token'], code: 'admin_token_weak', expected, received: 'one that can be guessed', hint }]
}

/** Shortest prefixes that no private network goes below (RFC 1918, RFC 4193), by the family of the block. */
const widest = { ipv4: 8, ipv6: 7 }

/** Warns of proxies that could be anybody: whoever is trusted may claim any address, and so pass any rule of `sources`. */
function proxyWarnings({ trustedProxies = [] }: Config): readonly Issue[] {
  return trustedProxies.flatMap((text, i) => {
    const range = parseAddressRange(text)
    const isV4 = !text.includes(':')
    if (range === undefined || range.prefix >= (isV4 ? 96 + widest.ipv4 : widest.ipv6)) return []
    const expected = `the addresses of your proxies, /${isV4 ? widest.ipv4 : widest.ipv6} at most, as any caller in here may make up their address`
    return [{ path: ['trustedProxies', i], expected, received: JSON.stringify(text) }]
  })
}

/** Warns of quotas that a restart forgets. */
function quotaWarnings({ plans = {}, store, dataDir }: Config): readonly Issue[] {
  const isKept = store === undefined ? dataDir !== undefined : store !== 'memory'
  const hasQuotas = Object.values(plans).some(({ perDay, perMonth }) => perDay !== undefined || perMonth !== undefined)
  if (isKept || !hasQuotas) return []
  const expected = 'a database, or dataDir, as quotas of a day or a month begin anew with each start otherwise'
  return [{ path: ['store'], expected, received: store === undefined ? 'nothing' : '"memory"' }]
}

/** Warns of objects without members, as a template leaves them that renders nothing: what they bound or named is then as by default. */
function emptyWarnings(value: unknown, path: IssuePath = []): readonly Issue[] {
  if (typeof value !== 'object' || value === null) return []
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, i) => [i, item] as const)
    : Object.entries(value)
  if (members.length === 0 && !Array.isArray(value)) {
    const expected =
      path[0] === 'plans'
        ? 'a limit, as callers of this plan have none here'
        : 'a member, or nothing at all, as defaults hold for all that is left out'
    return [{ path, expected, received: '{}' }]
  }
  // The params of a question to a node are as the node has them.
  return members.flatMap(([step, member]) => (step === 'params' ? [] : emptyWarnings(member, [...path, step])))
}

/** Warns of quotas that are spent without a report. */
function markWarnings({ plans = {} }: Config): readonly Issue[] {
  return Object.entries(plans).flatMap(([name, plan]) => {
    const parts: readonly (readonly [IssuePath, Pick<Plan, 'perDay' | 'perMonth'> | undefined])[] = [
      [[], plan],
      [['perVisitor'], plan.perVisitor],
      ...Object.entries(plan.methods ?? {}).map(([method, rules]) => [['methods', method], rules] as const),
    ]
    return parts.flatMap(([path, part]) =>
      (['perDay', 'perMonth'] as const).flatMap((window) => {
        if (part?.[window]?.marks?.length !== 0) return []
        const at = ['plans', name, ...path, window, 'marks']
        return [{ path: at, expected: 'a percentage, or no such member, to report the quota', received: '[]' }]
      }),
    )
  })
}

/** Warns of prices by which calls count towards no limit. */
function freeWarnings({ prices = {} }: Config): readonly Issue[] {
  const issues: Issue[] = []
  for (const [kind, table] of Object.entries(prices)) {
    if (table?.['*'] !== 0) continue
    const expected = 'a price above 0, as calls without a price of their own count towards no limit'
    issues.push({ path: ['prices', kind, '*'], expected, received: '0' })
  }
  return issues
}

/** Warns of an access log whose lines no level lets pass. */
function logWarnings({ log }: Config): readonly Issue[] {
  const { level = 'info', access } = log ?? {}
  if ((access?.sample ?? accessDefaults.sample) === 0 || level === 'info' || level === 'debug') return []
  const expected = 'info or debug, as the lines of log.access have the level info'
  return [{ path: ['log', 'level'], expected, received: JSON.stringify(level) }]
}

/** Warns of bodies that no project can have held, however much memory there is. */
function limitWarnings(config: Config): readonly Issue[] {
  const { maxHeldBytes } = limitsOf(config)
  const given = config.limits?.maxBodyBytes
  const most = Math.floor((maxHeldBytes * 9) / 10 / 4)
  if (given === undefined || given <= most) return []
  const expected = `at most ${most}, as a body is held four times in nine tenths of limits.maxHeldBytes`
  return [{ path: ['limits', 'maxBodyBytes'], expected, received: String(given) }]
}

function networkWarnings(slug: string, network: NetworkConfig): readonly Issue[] {
  const warnings: Issue[] = []
  const warn = (member: string, expected: string, received: string): void => {
    warnings.push({ path: ['networks', slug, member], expected, received })
  }
  const { chainId } = network
  const upstreams = network.upstreams.map(namedUpstream)
  const known = knownChains.get(slug)
  if (known !== undefined && chainId !== undefined && !isSameChain(chainId, known)) {
    warn('chainId', `${known}, the chain id of ${slug}`, String(chainId))
  }
  if (!upstreams.some(({ url, ws = url }) => isSocketUrl(ws))) {
    const why = chainKinds[network.kind].streams
      ? 'it tells of blocks at once, and of pending transactions'
      : 'subscriptions need one'
    warn('upstreams', `a ws or wss URL among them, as ${why}`, 'http and https URLs only')
  }
  if (network.kind === 'rollup' && network.rollupNode === undefined) {
    warn('rollupNode', 'the URL of the rollup node, unless an upstream answers rollup_getInfo itself', 'nothing')
  }
  const verify = upstreams[0]!.verify ?? evmSettings(network)?.verify
  if (new Set(nodesOf(upstreams)).size === 1 && verify === 'proven') {
    const expected =
      'another one beside it, or verify: consistent: blocks by number are proven by what most upstreams say'
    warn('upstreams', expected, upstreams.length === 1 ? 'one upstream' : 'one node')
  }
  return [
    ...warnings,
    ...sameNodeWarnings(slug, network),
    ...socketWarnings(slug, upstreams),
    ...methodWarnings(slug, network.kind, upstreams),
    ...probeWarnings(slug, network, upstreams),
  ]
}
