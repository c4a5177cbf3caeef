import { AuthError } from '../error.ts'
import { type AddressRange, parseAddressRange } from './address-range.ts'
import { type OriginPattern, parseOriginPattern } from './origin-pattern.ts'

/** The allowlists of a project, as a person writes them and a store keeps them: at most 30 entries each. */
export interface RuleEntries {
  /** Names of methods, exact. */
  readonly methods?: readonly string[]
  /** Contract addresses: `0x` and at most 64 hex digits, in any case. */
  readonly addresses?: readonly string[]
  /** Origins of web pages: `https://app.example.com`, `app.example.com`, `https://*.example.com`, `https://`. */
  readonly origins?: readonly string[]
  /** Texts of which the `User-Agent` must contain one, as they are. */
  readonly userAgents?: readonly string[]
  /** IP addresses and CIDR blocks of callers. */
  readonly sources?: readonly string[]
}

/** Checked allowlists: entries of one are ORed, the lists ANDed. Undefined: no such list, all pass. An empty one passes nothing. */
export interface Rules {
  readonly methods?: ReadonlySet<string> | undefined
  /** As {@link canonicalAddress} writes them. */
  readonly addresses?: ReadonlySet<string> | undefined
  readonly origins?: readonly OriginPattern[] | undefined
  readonly userAgents?: readonly string[] | undefined
  readonly sources?: readonly AddressRange[] | undefined
}

/** Most entries of one allowlist. */
export const maxRuleEntries = 30

const readers = {
  methods: (entry: string) => (/^[\w./-]{1,128}$/.test(entry) ? entry : undefined),
  addresses: canonicalAddress,
  origins: parseOriginPattern,
  userAgents: (entry: string) => (entry.trim() !== '' && entry.length <= 256 ? entry : undefined),
  sources: parseAddressRange,
} as const

const expected: Readonly<Record<keyof RuleEntries, string>> = {
  methods: 'the exact name of a method, such as eth_call',
  addresses: 'a contract address: 0x and at most 64 hex digits',
  origins:
    'https://app.example.com, app.example.com, https://*.example.com or https://, without a path; a star needs two labels, as anybody may have a host below *.com',
  userAgents: 'a text of 1 to 256 characters, not all blank',
  sources: 'an IP address or a CIDR block such as 10.0.0.0/8 or 2001:db8::/32',
}

/**
 * Checks the allowlists of a project. An empty list passes nothing: it may be a template that rendered nothing.
 * @throws AuthError `invalid_rules`, which names the list and the entry.
 */
export function parseRules(entries: RuleEntries): Rules {
  for (const name of Object.keys(entries)) {
    if (!Object.hasOwn(readers, name))
      throw invalid(`${quoted(name)} is no allowlist: use ${Object.keys(readers).join(', ')}`)
  }
  const read = <T>(name: keyof RuleEntries, of: (entry: string) => T | undefined): readonly T[] | undefined =>
    readList(name, entries[name], of)
  return {
    methods: setOf(read('methods', readers.methods)),
    addresses: setOf(read('addresses', readers.addresses)),
    origins: read('origins', readers.origins),
    userAgents: read('userAgents', readers.userAgents),
    sources: read('sources', readers.sources),
  }
}

/**
 * Checks the allowlists among the claims of a JWT: `methods`, `addresses`, `origins`, `user_agents`. An empty list passes nothing,
 * since it may be the end of a computation that found nothing to allow.
 * @throws AuthError `invalid_rules`
 */
export function parseClaimRules(claims: Readonly<Record<string, unknown>>): Rules {
  return {
    methods: setOf(readList('methods', claims['methods'], readers.methods)),
    addresses: setOf(readList('addresses', claims['addresses'], readers.addresses)),
    origins: readList('origins', claims['origins'], readers.origins),
    userAgents: readList('user_agents', claims['user_agents'], readers.userAgents, expected.userAgents),
  }
}

/** Puts each list of `over` in the place of the same list of `rules`. */
export function overrideRules(rules: Rules | undefined, over: Rules): Rules {
  return {
    methods: over.methods ?? rules?.methods,
    addresses: over.addresses ?? rules?.addresses,
    origins: over.origins ?? rules?.origins,
    userAgents: over.userAgents ?? rules?.userAgents,
    sources: over.sources ?? rules?.sources,
  }
}

/** Writes an address in one form: lower case, without leading zeros, since Starknet's may be padded. Undefined for any other text. */
export function canonicalAddress(address: string): string | undefined {
  return addressForm.test(address) ? `0x${address.slice(2).toLowerCase().replace(/^0+/, '')}` : undefined
}

const addressForm = /^0x[0-9a-f]{1,64}$/i

function readList<T>(
  name: string,
  list: unknown,
  read: (entry: string) => T | undefined,
  wanted: string = expected[name as keyof RuleEntries],
): readonly T[] | undefined {
  if (list === undefined) return undefined
  if (!Array.isArray(list)) throw invalid(`${name}: expected a list of texts`)
  if (list.length > maxRuleEntries) {
    throw invalid(
      `${name}: expected at most ${maxRuleEntries} entries, got ${list.length}: use another project for the rest`,
    )
  }
  return list.map((entry: unknown, i) => {
    const value = typeof entry === 'string' ? read(entry) : undefined
    if (value === undefined) throw invalid(`${name}[${i}]: expected ${wanted}, got ${quoted(entry)}`)
    return value
  })
}

function setOf<T>(list: readonly T[] | undefined): ReadonlySet<T> | undefined {
  return list === undefined ? undefined : new Set(list)
}

function invalid(message: string): AuthError {
  return new AuthError('invalid_rules', message)
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : typeof value
}
