/** A value that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A plain object that JSON can hold. Members that are undefined count as absent. */
export interface JsonObject {
  readonly [member: string]: Json | undefined
}

/** Allowlists of a project: at most 30 entries each. An absent list lets all pass. Same shape as `RuleEntries` of `auth`, which reads them. */
export interface StoredRules {
  readonly methods?: readonly string[]
  readonly addresses?: readonly string[]
  readonly origins?: readonly string[]
  readonly userAgents?: readonly string[]
  readonly sources?: readonly string[]
}

/**
 * Limits of a plan, a project or a key: at most 16 KiB as JSON, 8 levels deep. Same shape as `Plan` of `metering`, whose `checkPlan`
 * says whether they are sound.
 */
export interface StoredLimits {
  readonly perSecond?: { readonly credits: number; readonly burst?: number | undefined } | undefined
  readonly perDay?: StoredQuota | undefined
  readonly perMonth?: StoredQuota | undefined
  readonly methods?: Readonly<Record<string, Pick<StoredLimits, 'perSecond' | 'perDay'>>> | undefined
  readonly perVisitor?: Pick<StoredLimits, 'perSecond' | 'perDay'> | undefined
  readonly maxFilters?: number | undefined
}

/** Credits in a day or a month. */
export interface StoredQuota {
  readonly credits: number
  readonly action?: 'warn' | 'stop' | undefined
  /** Percentages that are reported. */
  readonly marks?: readonly number[] | undefined
}

/** Limits that any number of keys and projects have. */
export interface StoredPlan {
  readonly id: string
  readonly name: string
  readonly limits: StoredLimits
  /** Unix time in ms, as all times here. */
  readonly createdAt: number
}

/** The holder of keys. Fits `StoredProject` of `auth`. */
export interface StoredProject {
  /** Never changes, and never names another project. */
  readonly id: string
  /** Unique among projects. */
  readonly name: string
  /** True if its keys are unknown. */
  readonly disabled: boolean
  /** The networks that its keys may reach, at most 200; absent: all. */
  readonly networks?: readonly string[]
  /** True if a key alone does not suffice. */
  readonly requireSecret: boolean
  /** True if nothing but a JWT suffices. */
  readonly requireJwt: boolean
  /** At most three. */
  readonly jwtKeys: readonly StoredJwtKey[]
  /** The audience that JWTs must name; absent: that of the service. */
  readonly jwtAudience?: string
  readonly rules: StoredRules
  /** True if a call with a valid secret passes whatever the rules say. */
  readonly secretBypassesRules: boolean
  /** Its plan's id. */
  readonly plan?: string
  /** Its own, beside or instead of those of its plan. */
  readonly limits?: StoredLimits
  /** Defaults of the directives that its calls may carry, at most 30. */
  readonly directives: Readonly<Record<string, string>>
  readonly createdAt: number
}

/** A public key that verifies a project's tokens. */
export interface StoredJwtKey {
  /** Unique within its project. */
  readonly kid: string
  /** A public key in PEM form (SPKI). */
  readonly pem: string
  readonly label: string
  readonly createdAt: number
}

/** An API key. It holds digests, never the key or a secret. Fits `StoredKey` of `auth`. */
export interface StoredKey {
  /** Names the key in logs and usage. */
  readonly id: string
  readonly projectId: string
  /** Lower-case hex SHA-256 of the key. Unique. */
  readonly digest: string
  /** The last characters of the key, at most 8. */
  readonly hint: string
  readonly label: string
  /** From then on it is unknown. */
  readonly expiresAt?: number
  /** True if it is unknown. */
  readonly disabled: boolean
  /** At most two that have not expired. */
  readonly secrets: readonly StoredSecret[]
  /** Its plan's id. */
  readonly plan?: string
  readonly limits?: StoredLimits
  readonly createdAt: number
}

/** A secret of a key. */
export interface StoredSecret {
  /** Unique within its key. */
  readonly id: string
  /** Lower-case hex SHA-256 of the secret. */
  readonly digest: string
  /** The last characters of the secret, at most 8. */
  readonly hint: string
  readonly label: string
  /** From then on it is wrong. */
  readonly expiresAt?: number
  readonly createdAt: number
}

/** Members to set. Undefined takes an optional one away. */
export type Settable<Stored> = {
  readonly [Name in keyof Stored]?: object extends Pick<Stored, Name> ? Stored[Name] | undefined : Stored[Name]
}

/** The members of a project that can be chosen and changed. */
export type ProjectFields = Settable<Omit<StoredProject, 'id' | 'jwtKeys' | 'createdAt'>>

/** The members of a key that can be chosen and changed. */
export type KeyFields = Settable<Omit<StoredKey, 'id' | 'projectId' | 'digest' | 'hint' | 'secrets' | 'createdAt'>>
