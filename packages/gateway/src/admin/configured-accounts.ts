import type { ConfiguredAccounts } from '@wayleave/admin-api'
import type { Digest } from '@wayleave/auth'
import { accountsOf, type NamedProject } from '../config/accounts.ts'

/** Views the projects of a configuration as the admin API lists them: read-only, without keys and secrets. */
export function configuredAccounts(projects: readonly NamedProject[], sha256: Digest): ConfiguredAccounts {
  const { projects: given, keys } = accountsOf(projects, sha256)
  return {
    projects: given.map((project) => ({ ...project, keys: keys.filter(({ projectId }) => projectId === project.id) })),
  }
}
