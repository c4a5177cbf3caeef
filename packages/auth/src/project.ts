import type { GivenProject } from './account/account.ts'
import { type JwtKey, type JwtKeyEntry, parseJwtKeys } from './jwt/jwt-key.ts'
import { parseRules, type Rules } from './rules/rules.ts'

type Plain =
  | 'id'
  | 'name'
  | 'networks'
  | 'requireJwt'
  | 'jwtAudience'
  | 'jwtLeewayMs'
  | 'secretBypassesRules'
  | 'plan'
  | 'directives'

/** The project that a key belongs to. It holds no secret and may be logged. */
export interface Project extends Pick<GivenProject, Plain> {
  readonly requireSecret: boolean
  readonly jwtKeys?: readonly JwtKey[] | undefined
  readonly rules?: Rules | undefined
}

/** A project as a person writes it and a store keeps it. */
export interface ProjectSettings extends Pick<GivenProject, Plain | 'requireSecret' | 'rules'> {
  readonly jwtKeys?: readonly JwtKeyEntry[] | undefined
}

/**
 * Checks a project's settings. Nothing else of the object travels with the project.
 * @throws AuthError `invalid_rules`, `invalid_jwt_key`
 */
export function parseProject(settings: ProjectSettings): Project {
  const project: { readonly [Name in keyof Required<Project>]: Project[Name] } = {
    id: settings.id,
    name: settings.name,
    networks: settings.networks && [...settings.networks],
    requireSecret: settings.requireSecret ?? false,
    requireJwt: settings.requireJwt,
    jwtKeys: settings.jwtKeys && parseJwtKeys(settings.jwtKeys),
    jwtAudience: settings.jwtAudience,
    jwtLeewayMs: settings.jwtLeewayMs,
    rules: settings.rules && parseRules(settings.rules),
    secretBypassesRules: settings.secretBypassesRules,
    plan: settings.plan,
    directives: settings.directives && { ...settings.directives },
  }
  return project
}
