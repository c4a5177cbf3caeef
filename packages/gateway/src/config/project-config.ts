import type { RuleEntries } from '@wayleave/auth'
import type { Moment } from './moment.ts'
import type { TimeoutsConfig } from './timeouts-config.ts'

export interface ProjectConfig {
  readonly name: string
  /** Names the project in the store, such as the owner of its pins: give the old name when it is renamed. Default: `name`. */
  readonly id?: string
  readonly keys: readonly KeyConfig[]
  /** The name of a plan whose limits hold for all its keys together. Default: none. */
  readonly plan?: string
  /** Default: all. */
  readonly networks?: readonly string[]
  /** Groups: only their upstreams are asked for its calls. Default: all upstreams are. */
  readonly upstreams?: readonly string[]
  /** Sends its transactions, and all else that is no read, to private upstreams alone. Default: to any. */
  readonly transactions?: 'private'
  /** Whether its callers are told upstreams by name rather than by number. Default false. */
  readonly showUpstream?: boolean
  /** Waits for methods, in place of the network's own. */
  readonly timeouts?: TimeoutsConfig
  /** Refuses calls without the key's secret, or a JWT in its place. */
  readonly requireSecret?: boolean
  /** Refuses calls without a JWT, also those with a secret. */
  readonly requireJwt?: boolean
  readonly jwt?: JwtConfig
  /** Allowlists, of at most 30 entries each: entries of one are ORed, lists ANDed. Default: all pass. */
  readonly rules?: RuleEntries
  /** Whether `rules` do not hold for callers who send a valid secret. Default false. */
  readonly secretBypassesRules?: boolean
  /** Defaults of the directives of its requests: `X-Wayleave-Consistency`, `X-Wayleave-Marks`, `X-Wayleave-Skip-Cache`. Default: none. */
  readonly directives?: DirectiveDefaults
  /** Whether a billing card is attached, which the IPFS API asks for (Spec §5). Default true. */
  readonly billingCard?: boolean
  readonly ipfs?: ProjectIpfsConfig
}

/** Directives of a request that does not say otherwise in a header or its query. */
export interface DirectiveDefaults {
  readonly consistency?: 'pinned' | 'none'
  readonly marks?: 'inline' | 'none'
  /** `never`: callers may not skip the cache. */
  readonly skipCache?: 'true' | 'none' | 'never'
}

/** A key, in plain text or as its SHA-256. */
export type KeyConfig = PlainKeyConfig | HashedKeyConfig

interface KeySettings {
  readonly secret?: string
  /** Further secrets; at most two of a key in all, so that one can replace the other while both serve. */
  readonly secrets?: readonly SecretConfig[]
  /** The name of a plan whose limits hold for the key, beside those of its project. Default: none. */
  readonly plan?: string
  /** A person's name for the key. */
  readonly label?: string
  /** From then on the key is unknown. Default: never. */
  readonly expiresAt?: Moment
  /** Whether the key is unknown. Default false. */
  readonly disabled?: boolean
}

export interface PlainKeyConfig extends KeySettings {
  readonly key: string
}

export interface HashedKeyConfig extends KeySettings {
  /** `sha256:` and 64 hex digits. */
  readonly keyHash: string
}

/** A secret, in plain text or as its SHA-256. */
export type SecretConfig = PlainSecretConfig | HashedSecretConfig

interface SecretSettings {
  /** From then on the secret is wrong. Default: never. */
  readonly expiresAt?: Moment
}

export interface PlainSecretConfig extends SecretSettings {
  readonly secret: string
}

export interface HashedSecretConfig extends SecretSettings {
  /** `sha256:` and 64 hex digits. */
  readonly secretHash: string
}

/** The JWTs that callers of a project may send in place of a secret. */
export interface JwtConfig {
  /** At most three. */
  readonly keys: readonly JwtKeyConfig[]
  /** The audience (`aud`) that they must name. Default `wayleave`. */
  readonly audience?: string
}

export interface JwtKeyConfig {
  /** The `kid` of tokens that it signs. */
  readonly id: string
  /** The public key, `-----BEGIN PUBLIC KEY-----`: RSA of 2,048 to 8,192 bits (RS256), or EC on P-256 (ES256). */
  readonly pem: string
}

/** A project's quotas of the IPFS API, in bytes; 0: nothing. Default: no bound. */
export interface ProjectIpfsConfig {
  /** Sum over its pins. */
  readonly storedBytes?: number
  /** Each calendar month, UTC. */
  readonly uploadBytes?: number
  readonly downloadBytes?: number
}
