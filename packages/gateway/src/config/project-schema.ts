import {
  isApiKey,
  isApiSecret,
  maxJwtKeys,
  maxRuleEntries,
  maxSecrets,
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
  type ObjectShape,
  oneOf,
  optional,
  type Schema,
  shown,
  text,
} from '@wayleave/jsonrpc-core/schema'
import { directiveValues, neverSkips } from './directives.ts'
import { moment } from './moment.ts'
import type {
  DirectiveDefaults,
  HashedKeyConfig,
  HashedSecretConfig,
  JwtConfig,
  JwtKeyConfig,
  KeyConfig,
  PlainKeyConfig,
  PlainSecretConfig,
  ProjectConfig,
  ProjectIpfsConfig,
  SecretConfig,
} from './project-config.ts'
import { arrayUpTo, exact, filled, isObject, name, stringThat } from './schema-parts.ts'
import { timeouts } from './timeouts-config.ts'

const plainSecret = stringThat('a secret of 1 to 1,024 characters, none of them a control character', isApiSecret, {
  minLength: 1,
  maxLength: 1_024,
})
/** A digest of a key, a secret or a token. */
export const hash: Schema<string> = stringThat(
  'sha256: and the 64 hex digits of a SHA-256',
  (value) => parseHash(value) !== undefined,
  { pattern: '^sha256:[\\da-fA-F]{64}$' },
)
const expiresAt = optional(shown(moment))

const plain = exact<PlainSecretConfig>('{ secret }', { secret: plainSecret, expiresAt })
const hashed = exact<HashedSecretConfig>(
  '{ secretHash }',
  { secretHash: hash, expiresAt },
  { secret: 'no secret beside secretHash' },
)
const secret = choice<SecretConfig>(
  '{ secret } or { secretHash }',
  (value) => (has(value, 'secretHash') ? hashed : plain),
  [plain, hashed],
)

const keySettings: ObjectShape<Omit<PlainKeyConfig, 'key'>> = {
  secret: optional(plainSecret),
  secrets: optional(filled(arrayUpTo(maxSecrets, secret))),
  plan: optional(shown(name)),
  label: optional(shown(text('a label of 1 to 128 characters', /^[^\p{Cc}]{1,128}$/u))),
  expiresAt,
  disabled: optional(boolean),
}
const plainKey = exact<PlainKeyConfig>('{ key, secret? }', {
  key: stringThat('a key of 1 to 128 letters, digits, - and _', isApiKey, { pattern: '^[\\w-]{1,128}$' }),
  ...keySettings,
})
const hashedKey = exact<HashedKeyConfig>(
  '{ keyHash, secret? }',
  { keyHash: hash, ...keySettings },
  { key: 'no key beside keyHash' },
)
const key = choice<KeyConfig>(
  '{ key, secret? } or { keyHash, secret? }',
  (value) => (has(value, 'keyHash') ? hashedKey : plainKey),
  [plainKey, hashedKey],
)

const jwt = exact<JwtConfig>('{ keys, audience? }', {
  // `projectIssues` tells the faults of a key.
  keys: arrayUpTo(
    maxJwtKeys,
    exact<JwtKeyConfig>('{ id, pem }', {
      id: shown(text('the kid of tokens: 1 to 128 letters, digits and _ . : -', /^[\w.:-]{1,128}$/)),
      pem: text('a public key in PEM'),
    }),
  ),
  audience: optional(shown(text('an audience of 1 to 256 characters', /^[^\p{Cc}]{1,256}$/u))),
})

const rules = exact<RuleEntries>('{ methods?, addresses?, origins?, userAgents?, sources? }', {
  methods: ruleList('methods', 'the exact name of a method, such as eth_call'),
  addresses: ruleList('addresses', 'a contract address: 0x and at most 64 hex digits'),
  origins: ruleList(
    'origins',
    'https://app.example.com, app.example.com, https://*.example.com or https://; a star needs two labels, as anybody may have a host below *.com',
  ),
  userAgents: ruleList('userAgents', 'a text of 1 to 256 characters'),
  sources: ruleList('sources', 'an IP address or a CIDR block such as 10.0.0.0/8'),
})

const quota = integer('a whole number of bytes, 0 for none', 0)

/** Checks a {@link ProjectConfig}, except for what `projectIssues` does. */
export const project: Schema<ProjectConfig> = exact<ProjectConfig>('a project', {
  name: shown(name),
  id: optional(shown(name)),
  keys: array(key),
  plan: optional(shown(name)),
  networks: optional(array(shown(name))),
  upstreams: optional(nonEmptyArray(shown(name))),
  transactions: optional(shown(oneOf('private'))),
  showUpstream: optional(boolean),
  timeouts: optional(timeouts),
  requireSecret: optional(boolean), // Not shown: a secret is easily put here.
  requireJwt: optional(boolean),
  jwt: optional(jwt),
  rules: optional(rules),
  secretBypassesRules: optional(boolean),
  directives: optional(
    exact<DirectiveDefaults>('{ consistency?, marks?, skipCache? }', {
      consistency: optional(shown(oneOf(...directiveValues.consistency))),
      marks: optional(shown(oneOf(...directiveValues.marks))),
      skipCache: optional(shown(oneOf(...directiveValues.skipCache, neverSkips))),
    }),
  ),
  billingCard: optional(boolean),
  ipfs: optional(
    exact<ProjectIpfsConfig>('{ storedBytes?, uploadBytes?, downloadBytes? }', {
      storedBytes: optional(shown(quota)),
      uploadBytes: optional(shown(quota)),
      downloadBytes: optional(shown(quota)),
    }),
  ),
})

/** A list of `rules`; entries are as `parseRules` reads them. */
function ruleList(list: keyof RuleEntries, expected: string) {
  const entry = stringThat(expected, (value) => {
    try {
      parseRules({ [list]: [value] })
      return true
    } catch {
      return false
    }
  })
  return optional(filled(arrayUpTo(maxRuleEntries, shown(entry))))
}

function has(value: unknown, member: string): boolean {
  return isObject(value) && Object.hasOwn(value, member)
}
