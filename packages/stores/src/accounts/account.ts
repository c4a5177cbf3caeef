/** A value that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A plain object that JSON can hold: at most 16 KiB as text, 8 levels deep. */
export interface JsonObject {
  readonly [member: string]: Json
}

/** Allowlists of a project: at most 30 entries each. An absent list lets all pass. What an entry means is up to `auth`. */
export interface StoredRules {
  readonly methods?: readonly string[]
  readonly addresses?: readonly string[]
  readonly origins?: readonly string[]
  readonly userAgents?: readonly string[]
  readonly networks?: readonly string[]
  readonly sources?: readonly string[]
}

/** Limits that many projects share. */
export interface StoredPlan {
  readonly id: string
  readonly name: string
  readonly limits: JsonObject
  /** Unix time in ms, as all times here. */
  readonly createdAt: number
}

/** What may be chosen and changed of a project. */
export interface ProjectFields {
  /** Unique among projects. */
  readonly name: string
  /** Its plan's id. */
  readonly plan: string | undefined
  readonly disabled: boolean
  /** True if a key alone does not suffice. */
  readonly requireSecret: boolean
  readonly requireJwt: boolean
  /** Whether a call with a valid secret passes whatever the rules say. */
  readonly secretOverridesRules: boolean
  readonly rules: StoredRules
  /** Its own, beside or instead of those of its plan. */
  readonly limits: JsonObject | undefined
  /** Defaults for the directives of its calls. */
  readonly settings: JsonObject
}

/** The holder of keys. */
export interface StoredProject extends ProjectFields {
  /** Never changes, and never names another project. */
  readonly id: string
  readonly createdAt: number
  /** At most three. */
  readonly jwtKeys: readonly StoredJwtKey[]
}

/** A public key that verifies a project's tokens. */
export interface StoredJwtKey {
  /** Unique within its project. */
  readonly kid: string
  readonly algorithm: 'RS256' | 'ES256'
  /** A public key in PEM form (SPKI). */
  readonly pem: string
  readonly label: string
  readonly createdAt: number
}

/** What may be changed of a key. */
export interface KeyFields {
  readonly label: string
  readonly disabled: boolean
  readonly expiresAt: number | undefined
  readonly limits: JsonObject | undefined
}

/** An API key. It holds digests, never the key or a secret. */
export interface StoredKey extends KeyFields {
  /** Names the key in logs and usage. */
  readonly id: string
  /** Its project's id. */
  readonly project: string
  /** Lower-case hex SHA-256 of the key. Unique. */
  readonly digest: string
  /** The last characters of the key, at most 8. */
  readonly hint: string
  readonly createdAt: number
  /** At most two that have not expired. */
  readonly secrets: readonly StoredSecret[]
}

/** A secret of a key. */
export interface StoredSecret {
  /** Unique within its key. */
  readonly id: string
  /** Lower-case hex SHA-256 of the secret. */
  readonly digest: string
  readonly hint: string
  readonly createdAt: number
  readonly expiresAt: number | undefined
}
