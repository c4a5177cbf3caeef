import type { GivenProject } from './account/account.ts'
import { type JwtKey, type JwtKeyEntry, parseJwtKeys } from './jwt/jwt-key.ts'
import { parseRules, type Rules } from './rules/rules.ts'

/** The project that a key belongs to. It holds no secret and may be logged. */
export interface Project {
  /** Names the project in stores and usage; it stays when the project is renamed. */
  readonly id: string
  readonly name: string
  /** Slugs of the networks that its keys may reach; undefined: all. */
  readonly networks?: readonly string[]
  /** True if a key alone does not suffice. A JWT does, too. */
  readonly requireSecret: boolean
  /** True if nothing but a JWT suffices. */
  readonly requireJwt?: boolean
  /** At most three. */
  readonly jwtKeys?: readonly JwtKey[]
  /** The audience that JWTs must name; undefined: the verifier's own. */
  readonly jwtAudience?: string
  readonly rules?: Rules
  /** True if rules do not hold for a caller who sent a valid secret. */
  readonly secretBypassesRules?: boolean
  /** The plan whose limits hold; a name that this package does not interpret. */
  readonly plan?: string
  /** Defaults of the directives that a call may carry, which this package does not interpret. */
  readonly directives?: Readonly<Record<string, string>>
}

/** A project as a person writes it and a store keeps it. */
export interface ProjectSettings extends Omit<GivenProject, 'disabled' | 'jwtKeys' | 'limits' | 'createdAt'> {
  readonly jwtKeys?: readonly JwtKeyEntry[] | undefined
}

/**
 * Checks a project's settings. Nothing else of the object travels with the project.
 * @throws AuthError `invalid_rules`, `invalid_jwt_key`
 */
export function parseProject(settings: ProjectSettings): Project {
  const { id, name, networks, requireSecret = false, requireJwt, jwtKeys, jwtAudience, rules } = settings
  const { secretBypassesRules, plan, directives } = settings
  return {
    id,
    name,
    requireSecret,
    ...(networks === undefined ? {} : { networks: [...networks] }),
    ...(requireJwt === undefined ? {} : { requireJwt }),
    ...(jwtKeys === undefined ? {} : { jwtKeys: parseJwtKeys(jwtKeys) }),
    ...(jwtAudience === undefined ? {} : { jwtAudience }),
    ...(rules === undefined ? {} : { rules: parseRules(rules) }),
    ...(secretBypassesRules === undefined ? {} : { secretBypassesRules }),
    ...(plan === undefined ? {} : { plan }),
    ...(directives === undefined ? {} : { directives: { ...directives } }),
  }
}
