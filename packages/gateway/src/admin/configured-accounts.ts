import type { ConfiguredAccounts } from '@wayleave/admin-api'
import type { Digest } from '@wayleave/auth'
import { accountsOf, type NamedProject } from '../config/accounts.ts'
import type { Config } from '../config/config.ts'

/** Views the projects and plans of a configuration as the admin API lists them: read-only, without keys and secrets. */
export function configuredAccounts(
  projects: readonly NamedProject[],
  sha256: Digest,
  plans: Config['plans'] = {},
): ConfiguredAccounts {
  const { projects: given, keys } = accountsOf(projects, sha256)
  return {
    plans: Object.entries(plans).map(([id, limits]) => ({ id, name: id, limits })),
    projects: given.map((project) => ({ ...project, keys: keys.filter(({ projectId }) => projectId === project.id) })),
  }
}
