import type { ConfiguredAccounts } from '@wayleave/admin-api'
import type { Digest } from '@wayleave/auth'
import { accountsOf, type NamedProject } from '../config/accounts.ts'

/** Views the projects of a configuration as the admin API lists them: read-only, without keys and secrets. */
export function configuredAccounts(projects: readonly NamedProject[], sha256: Digest): ConfiguredAccounts {
  const { keys } = accountsOf(projects, sha256)
  return {
    projects: projects.map(
      ({ id, name, plan, networks, requireSecret, requireJwt, jwt, rules, secretBypassesRules, directives }) => ({
        id,
        name,
        plan,
        networks,
        requireSecret: requireSecret ?? false,
        requireJwt: requireJwt ?? false,
        jwtKeys: jwt?.keys.map(({ id: kid, pem }) => ({ kid, pem })) ?? [],
        jwtAudience: jwt?.audience,
        rules: rules ?? {},
        secretBypassesRules: secretBypassesRules ?? false,
        directives: { ...directives },
        keys: keys.filter(({ projectId }) => projectId === id),
      }),
    ),
  }
}
