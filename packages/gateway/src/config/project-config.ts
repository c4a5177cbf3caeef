import {
  directiveValues,
  isApiKey,
  isApiSecret,
  maxJwtKeys,
  maxLeewayMs,
  maxRuleEntries,
  maxSecrets,
  neverSkips,
  parseHash,
  parseRules,
  type RuleEntries,
} from '@wayleave/auth'
import {
  array,
  boolean,
  choice,
  integer,
  nonEmptyArray,
  oneOf,
  type Schema,
  shown,
  text,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'
import {
  arrayUpTo,
  exact,
  filled,
  isObject,
  moment,
  name,
  required,
  type Setting,
  setting,
  stringThat,
  timeouts,
} from '@wayleave/network/config'

const plainSecret = stringThat(
  'a secret of 1 to 1,024 characters, not all blank, none of them a control character',
  isApiSecret,
  {
    minLength: 1,
    maxLength: 1_024,
  },
)
/** A digest of a key, a secret or a token. */
export const hash: Schema<string> = stringThat(
  'sha256: and the 64 hex digits of a SHA-256',
  (value) => parseHash(value) !== undefined,
  { pattern: '^sha256:[\\da-fA-F]{64}$' },
)
const digest = required(hash, '`sha256:` and 64 hex digits.')

const secretExpiry = setting(shown(moment), 'From then on the secret is wrong. Default: never.')
const plain = exact('{ secret }', { secret: plainSecret, expiresAt: secretExpiry })
const hashed = exact(
  '{ secretHash }',
  { secretHash: digest, expiresAt: secretExpiry },
  { secret: 'no secret beside secretHash' },
)
const secret = choice<SecretConfig>(
  '{ secret } or { secretHash }',
  (value) => (has(value, 'secretHash') ? hashed : plain),
  [plain, hashed],
)

const keyMembers = {
  secret: setting(plainSecret),
  secrets: setting(
    filled(arrayUpTo(maxSecrets, secret)),
    'Further secrets; at most two of a key in all, so that one can replace the other while both serve.',
  ),
  plan: setting(
    shown(name),
    'The name of a plan whose limits hold for the key, beside those of its project. Default: none.',
  ),
  label: setting(
    shown(text('a label of 1 to 128 characters', /^(?=.*\S)[^\p{Cc}]{1,128}$/u)),
    "A person's name for the key.",
  ),
  expiresAt: setting(shown(moment), 'From then on the key is unknown. Default: never.'),
  disabled: setting(boolean, 'Whether the key is unknown.', false),
}
const plainKey = exact('{ key, secret? }', {
  key: stringThat('a key of 1 to 128 letters, digits, - and _', isApiKey, { pattern: '^[\\w-]{1,128}$' }),
  ...keyMembers,
})
const hashedKey = exact('{ keyHash, secret? }', { keyHash: digest, ...keyMembers }, { key: 'no key beside keyHash' })
const key = choice<KeyConfig>(
  '{ key, secret? } or { keyHash, secret? }',
  (value) => (has(value, 'keyHash') ? hashedKey : plainKey),
  [plainKey, hashedKey],
)

// `projectIssues` tells the faults of a key.
const jwtKey = exact('{ id, pem }', {
  id: required(
    shown(text('the kid of tokens: 1 to 128 letters, digits and _ . : -', /^[\w.:-]{1,128}$/)),
    'The `kid` of tokens that it signs.',
  ),
  pem: required(
    text('a public key in PEM'),
    'The public key, `-----BEGIN PUBLIC KEY-----`: RSA of 2,048 to 8,192 bits (RS256), or EC on P-256 (ES256).',
  ),
})
const jwt = exact('{ keys, audience?, leewayMs? }', {
  keys: required(arrayUpTo(maxJwtKeys, jwtKey), 'At most three.'),
  audience: setting(
    shown(text('an audience of 1 to 256 characters', /^(?=.*\S)[^\p{Cc}]{1,256}$/u)),
    'The audience (`aud`) that they must name.',
    'wayleave',
  ),
  leewayMs: setting(
    shown(integer(`a whole number of ms from 0 to ${maxLeewayMs}`, 0, maxLeewayMs)),
    'By how much the clocks of their issuers may be wrong, for `exp` and `nbf`, in ms (RFC 7519 §4.1.5).',
    60_000,
  ),
})

const rules = exact('{ methods?, addresses?, origins?, userAgents?, sources? }', {
  methods: ruleList('methods', 'the exact name of a method, such as eth_call', 'Names of methods, exact.'),
  addresses: ruleList(
    'addresses',
    'a contract address: 0x and at most 64 hex digits',
    'Contract addresses: `0x` and at most 64 hex digits, in any case.',
  ),
  origins: ruleList(
    'origins',
    'https://app.example.com, app.example.com, https://*.example.com or https://; a star needs two labels, as anybody may have a host below *.com',
    'Origins of web pages: `https://app.example.com`, `app.example.com`, `https://*.example.com`, `https://`.',
  ),
  userAgents: ruleList(
    'userAgents',
    'a text of 1 to 256 characters, not all blank',
    'Texts of which the `User-Agent` must contain one, as they are.',
  ),
  sources: ruleList(
    'sources',
    'an IP address or a CIDR block such as 10.0.0.0/8',
    'IP addresses and CIDR blocks of callers.',
  ),
})

const quota = shown(integer('a whole number of bytes, 0 for none', 0))

const directives = exact('{ consistency?, marks?, skipCache? }', {
  consistency: setting(shown(oneOf(...directiveValues.consistency))),
  marks: setting(shown(oneOf(...directiveValues.marks))),
  skipCache: setting(
    shown(oneOf(...directiveValues.skipCache, neverSkips)),
    '`never`: callers may not skip the cache.',
  ),
})
const ipfs = exact('{ storedBytes?, uploadBytes?, downloadBytes? }', {
  storedBytes: setting(quota, 'Sum over its pins.'),
  uploadBytes: setting(quota, 'Each calendar month, UTC.'),
  downloadBytes: setting(quota),
})

/** Checks a {@link ProjectConfig}, except for what `projectIssues` does. */
export const project = exact('a project', {
  name: shown(name),
  id: setting(
    shown(name),
    'Names the project in the store, such as the owner of its pins: give the old name when it is renamed. Default: `name`.',
  ),
  keys: array(key),
  plan: setting(shown(name), 'The name of a plan whose limits hold for all its keys together. Default: none.'),
  networks: setting(array(shown(name)), 'Default: all.'),
  upstreams: setting(
    nonEmptyArray(shown(name)),
    'Groups: only their upstreams are asked for its calls. Default: all upstreams are.',
  ),
  transactions: setting(
    shown(oneOf('private')),
    'Sends its transactions, and all else that is no read, to private upstreams alone. Default: to any.',
  ),
  showUpstream: setting(boolean, 'Whether its callers are told upstreams by name rather than by number.', false),
  timeouts: setting(timeouts, "Waits for methods, in place of the network's own."),
  // Not shown: a secret is easily put here.
  requireSecret: setting(boolean, "Refuses calls without the key's secret, or a JWT in its place."),
  requireJwt: setting(boolean, 'Refuses calls without a JWT, also those with a secret.'),
  jwt: setting(jwt, 'The JWTs that callers may send in place of a secret. Default: none.'),
  rules: setting(
    rules,
    'Allowlists, of at most 30 entries each: entries of one are ORed, lists ANDed. Default: all pass.',
  ),
  secretBypassesRules: setting(boolean, 'Whether `rules` do not hold for callers who send a valid secret.', false),
  directives: setting(
    directives,
    'Directives of its requests that do not say otherwise: `X-Wayleave-Consistency`, `X-Wayleave-Marks`, `X-Wayleave-Skip-Cache`. Default: none.',
  ),
  billingCard: setting(boolean, 'Whether a billing card is attached, which the IPFS API asks for (Spec §5).', true),
  ipfs: setting(ipfs, 'Quotas of the IPFS API, in bytes; 0: nothing. Default: no bound.'),
})

/** A list of `rules`; entries are as `parseRules` reads them. */
function ruleList(list: keyof RuleEntries, expected: string, description: string): Setting<readonly string[]> {
  const entry = stringThat(expected, (value) => {
    try {
      parseRules({ [list]: [value] })
      return true
    } catch {
      return false
    }
  })
  return setting(filled(arrayUpTo(maxRuleEntries, shown(entry))), description)
}

function has(value: unknown, member: string): boolean {
  return isObject(value) && Object.hasOwn(value, member)
}

/** A project with its keys, and what its callers may do. */
export type ProjectConfig = TypeOf<typeof project>

/** A key, in plain text or as its SHA-256. */
export type KeyConfig = TypeOf<typeof plainKey> | TypeOf<typeof hashedKey>

/** A secret, in plain text or as its SHA-256. */
export type SecretConfig = TypeOf<typeof plain> | TypeOf<typeof hashed>
