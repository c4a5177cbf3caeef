import type { Changes, Given, Stored } from './field.ts'

/**
 * The fields of limits that any number of projects and keys have. How stores check and keep a field, and how the admin API reads and shows
 * it, follows from its entry here. A new entry needs a migration with its column.
 */
export const planFields = {
  id: { kind: 'id' },
  /** A name for people. */
  name: { kind: 'name' },
  limits: { kind: 'limits' },
  /** Absent for the configuration. */
  createdAt: { kind: 'time', column: 'created_at', ofStore: true },
} as const

/** The fields of a holder of keys. */
export const projectFields = {
  /** Names it in usage and in the audit log. It never changes, and is not given again. */
  id: { kind: 'id' },
  /** Unique. */
  name: { kind: 'name', chosen: true },
  /** True if its keys are unknown. */
  disabled: { kind: 'flag', chosen: true, default: false },
  /** The networks that its keys may reach; absent: all. */
  networks: { kind: 'networks', chosen: true, optional: true, admits: true },
  /** True if a key alone does not suffice. A JWT does, too. */
  requireSecret: { kind: 'flag', column: 'require_secret', chosen: true, default: false, admits: true },
  /** True if nothing but a JWT suffices. */
  requireJwt: { kind: 'flag', column: 'require_jwt', chosen: true, default: false, admits: true },
  /** Public keys that verify its JWTs, at most three. */
  jwtKeys: {
    kind: 'jwtKeys',
    column: 'jwt_keys',
    default: [],
    of: {
      /** The name that the `kid` of a token gives, unique within its project. */
      kid: { kind: 'id' },
      pem: { kind: 'pem' },
      /** A person's name for the key. */
      label: { kind: 'label', chosen: true, default: '' },
      /** Absent for the configuration. */
      createdAt: { kind: 'time', ofStore: true },
    },
  },
  /** The audience that JWTs must name; absent: that of the service. */
  jwtAudience: { kind: 'audience', column: 'jwt_audience', chosen: true, optional: true, admits: true },
  /** Milliseconds by which the clocks of their issuers may be wrong; absent: 60,000. */
  jwtLeewayMs: { kind: 'leeway', column: 'jwt_leeway_ms', chosen: true, optional: true, admits: true },
  rules: { kind: 'rules', chosen: true, default: {}, admits: true },
  /** True if a call with a valid secret passes whatever the rules say. */
  secretBypassesRules: { kind: 'flag', column: 'secret_bypasses_rules', chosen: true, default: false, admits: true },
  /** The id of its plan. */
  plan: { kind: 'plan', chosen: true, optional: true },
  /** Limits of its own, instead of its plan's. */
  limits: { kind: 'limits', chosen: true, optional: true },
  /** Defaults of the directives that its calls may carry. */
  directives: { kind: 'directives', chosen: true, default: {} },
  /** Absent for the configuration. */
  createdAt: { kind: 'time', column: 'created_at', ofStore: true },
} as const

/** The fields of an API key. They hold digests, never the key or a secret. */
export const keyFields = {
  /** Names the key in logs and usage. */
  id: { kind: 'id' },
  projectId: { kind: 'id', column: 'project' },
  /** The key's SHA-256, unique. */
  digest: { kind: 'digest' },
  /** The last characters of the key, for people; empty where they are not known. */
  hint: { kind: 'hint', default: '' },
  /** A person's name for the key. */
  label: { kind: 'label', chosen: true, default: '' },
  /** From then on it is unknown. */
  expiresAt: { kind: 'time', column: 'expires_at', chosen: true, optional: true, admits: true },
  /** True if it is unknown. */
  disabled: { kind: 'flag', chosen: true, default: false },
  /** At most two that have not expired. */
  secrets: {
    kind: 'secrets',
    of: {
      /** Unique within its key. */
      id: { kind: 'id' },
      /** The secret's SHA-256. */
      digest: { kind: 'digest' },
      /** The last characters of the secret, for people. */
      hint: { kind: 'hint', default: '' },
      /** A person's name for the secret. */
      label: { kind: 'label', chosen: true, default: '' },
      /** From then on it is wrong. */
      expiresAt: { kind: 'time', chosen: true, optional: true },
      createdAt: { kind: 'time', ofStore: true },
    },
  },
  /** The id of its plan. */
  plan: { kind: 'plan', chosen: true, optional: true },
  /** Limits of its own, instead of its plan's. */
  limits: { kind: 'limits', chosen: true, optional: true },
  /** Absent for the configuration. */
  createdAt: { kind: 'time', column: 'created_at', ofStore: true },
} as const

/** The fields of a public key of a project. */
export const jwtKeyFields: typeof projectFields.jwtKeys.of = projectFields.jwtKeys.of
/** The fields of a secret of a key. */
export const secretFields: typeof keyFields.secrets.of = keyFields.secrets.of

/** A plan as a store keeps it. */
export interface StoredPlan<Limits = object> extends Stored<typeof planFields, Limits> {}
/** A project as a store keeps it. */
export interface StoredProject<Limits = object> extends Stored<typeof projectFields, Limits> {}
/** A public key of a project as a store keeps it. */
export interface StoredJwtKey extends Stored<typeof jwtKeyFields> {}
/** A key as a store keeps it. */
export interface StoredKey<Limits = object> extends Stored<typeof keyFields, Limits> {}
/** A secret as a store keeps it. */
export interface StoredSecret extends Stored<typeof secretFields> {}

/** A plan as a configuration gives it. */
export interface GivenPlan<Limits = object> extends Given<typeof planFields, Limits> {}
/** A project as a configuration gives it. A stored one is one, too. */
export interface GivenProject<Limits = object> extends Given<typeof projectFields, Limits> {}
/** A key as a configuration gives it. A stored one is one, too. */
export interface GivenKey<Limits = object> extends Given<typeof keyFields, Limits> {}

/** Members of a project to set; undefined takes an optional one away. */
export interface ProjectChanges<Limits = object> extends Changes<typeof projectFields, Limits> {}
/** Members of a key to set; undefined takes an optional one away. */
export interface KeyChanges<Limits = object> extends Changes<typeof keyFields, Limits> {}
/** Members of a secret to set. */
export interface SecretChanges extends Changes<typeof secretFields> {}
/** Members of a public key to set. */
export interface JwtKeyChanges extends Changes<typeof jwtKeyFields> {}
