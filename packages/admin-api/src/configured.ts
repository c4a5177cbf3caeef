import { AdminError } from './error.ts'
import type { AccountPort, ConfiguredAccounts, ConfiguredKey, ConfiguredProject } from './ports.ts'

/** The accounts of the configuration, by their ids and digests. */
export interface Configured {
  readonly plans: ReadonlyMap<string, NonNullable<ConfiguredAccounts['plans']>[number]>
  /** In the order of their ids. */
  readonly projects: ReadonlyMap<string, ConfiguredProject>
  /** @throws AdminError `conflict` where the configuration has a plan, a project or a key of this id. */
  refuse(kind: 'plan' | 'project' | 'key', id: string): void
  /** @throws AdminError `conflict` where the configuration has the key of this digest. */
  refuseDigest(digest: string): void
  /** The conflict that the two above throw, in words; undefined where there is none. */
  conflict(kind: 'plan' | 'project' | 'key', id: string): string | undefined
  digestConflict(digest: string): string | undefined
}

export function createConfigured({ plans = [], projects }: ConfiguredAccounts): Configured {
  const sorted = projects.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const keys: readonly (readonly [ConfiguredKey, ConfiguredProject])[] = sorted.flatMap((project) =>
    project.keys.map((key) => [key, project] as const),
  )
  const ids = {
    plan: new Set(plans.map(({ id }) => id)),
    project: new Set(projects.map(({ id }) => id)),
    key: new Set(keys.map(([{ id }]) => id)),
  }
  const owners = new Map(keys.map(([{ digest }, { id }]) => [digest, id]))

  const configured: Configured = {
    plans: new Map(plans.map((plan) => [plan.id, plan])),
    projects: new Map(sorted.map((project) => [project.id, project])),
    conflict(kind, id) {
      return ids[kind].has(id) ? `${kind} "${id}" comes from the configuration: change it there` : undefined
    },
    digestConflict(digest) {
      const owner = owners.get(digest)
      return owner === undefined
        ? undefined
        : `the configuration has this key already, in project "${owner}": remove it there first, or use another key`
    },
    refuse: (kind, id) => refuse(configured.conflict(kind, id)),
    refuseDigest: (digest) => refuse(configured.digestConflict(digest)),
  }
  return configured
}

function refuse(conflict: string | undefined): void {
  if (conflict !== undefined) throw new AdminError('conflict', conflict)
}

/** The store, whose projects and keys may name the plans of the configuration, too. */
export function withFurtherPlans(accounts: AccountPort, plans: Configured['plans']): AccountPort {
  const further = { plans }
  return {
    ...accounts,
    createProject: (project, by) => accounts.createProject(project, by, further),
    updateProject: (id, changes, by) => accounts.updateProject(id, changes, by, further),
    createKey: (key, by) => accounts.createKey(key, by, further),
    updateKey: (id, changes, by) => accounts.updateKey(id, changes, by, further),
  }
}
