import type { Digest } from '@wayleave/auth'
import { type AdminIssue, conflicting } from '../error.ts'
import { partsOf } from '../key-text.ts'
import type { Configured } from '../configured.ts'
import type { DesiredState } from '../model/state.ts'
import type { AccountPort } from '../ports.ts'
import { renameOrder } from './rename-order.ts'

type Snapshot = Awaited<ReturnType<AccountPort['snapshot']>>

/**
 * Checks a state, which is right in itself, against the records that stay in the store, so that no step fails half way on their account.
 * @throws AdminError `conflict`
 */
export async function checkStore(
  { plans, projects }: DesiredState,
  { projects: keptProjects, keys: keptKeys }: Snapshot,
  accounts: Pick<AccountPort, 'audit'>,
  configured: Pick<Configured, 'plans'>,
  sha256: Digest,
): Promise<void> {
  const conflicts: AdminIssue[] = []
  const known = new Set(keptProjects.map(({ id }) => id))
  const leftAlone = new Set(projects.flatMap(({ id, keys }) => (keys === undefined ? [id] : [])))
  const staying = keptKeys.filter(({ projectId }) => leftAlone.has(projectId))
  const byId = new Map(staying.map((key) => [key.id, key]))
  const byDigest = new Map(staying.map((key) => [key.digest, key]))
  const { taken } = renameOrder(projects, keptProjects)

  for (const [i, { id, keys = [] }] of projects.entries()) {
    const at = `projects[${i}]`
    const holder = taken.get(id)
    if (holder !== undefined) {
      const message = `project "${holder}" has this name until it gets another one: give one of them a third name first`
      conflicts.push({ path: `${at}.name`, message })
    }
    if (!known.has(id) && (await wasRemoved(accounts, id))) {
      const message = 'was the id of a project that was removed: choose another one'
      conflicts.push({ path: `${at}.id`, message })
    }
    for (const [j, key] of keys.entries()) {
      const place = `${at}.keys[${j}]`
      const sameId = byId.get(key.id)
      if (sameId !== undefined) {
        const message = `project "${sameId.projectId}" has a key "${key.id}", and its keys are left alone`
        conflicts.push({ path: `${place}.id`, message })
      }
      const same = byDigest.get(partsOf(key, sha256).digest)
      if (same !== undefined) {
        const message = `project "${same.projectId}" has this key, and its keys are left alone`
        conflicts.push({ path: `${place}.${key.key === undefined ? 'keyHash' : 'key'}`, message })
      }
    }
  }
  const planIds = new Set(plans.map(({ id }) => id))
  for (const { id, projectId, plan } of staying) {
    if (plan === undefined || planIds.has(plan) || configured.plans.has(plan)) continue
    const message = `key "${id}" of project "${projectId}" has the plan "${plan}", and is left alone: list the plan`
    conflicts.push({ path: 'plans', message })
  }
  if (conflicts.length > 0) throw conflicting(conflicts)
}

/** Tells whether a project of this id was removed: that is the last entry that its audit log ever has. */
async function wasRemoved(accounts: Pick<AccountPort, 'audit'>, id: string): Promise<boolean> {
  const [last] = await accounts.audit({ project: id, limit: 1 })
  return last?.action === 'project.remove'
}
