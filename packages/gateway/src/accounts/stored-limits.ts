import type { Plan } from '@wayleave/metering'
import type { AccountChange, AccountSnapshot, StoredKey, StoredProject } from '@wayleave/stores'

/** The limits of a caller; one that is absent sets none. */
export interface CallerLimits {
  readonly key: Plan | undefined
  /** The limits of the project, which hold for all its keys together. */
  readonly project: Plan | undefined
}

/** A key or a project with limits. */
export interface LimitedAccount {
  readonly scope: 'key' | 'project'
  readonly id: string
  readonly projectId: string
  readonly limits: Plan
}

/** Finds the limits of a plan by its name. `stored`: those that the store has by this name. */
export type NamedPlan = (name: string, stored: Plan | undefined) => Plan | undefined

/** The limits that the rows of a store set. They are not checked here. */
export interface StoredLimitsIndex {
  /**
   * Finds the limits of a key and its project: their own, else those of their plan, by default that of the store. Until they change they
   * are the same objects.
   */
  find(projectId: string, keyId: string, named?: NamedPlan): CallerLimits
  /** Another number whenever a plan has changed. */
  readonly version: number
  /** All keys and projects with limits. */
  all(named?: NamedPlan): readonly LimitedAccount[]
  replace(snapshot: Pick<AccountSnapshot, 'plans' | 'projects' | 'keys'>): void
  apply(change: AccountChange): void
}

/** Creates an index without rows. */
export function createStoredLimits(): StoredLimitsIndex {
  const plans = new Map<string, Plan>()
  /** Only rows that have limits. */
  const projects = new Map<string, StoredProject>()
  const keys = new Map<string, StoredKey>()
  let version = 0

  function put<Row extends StoredProject | StoredKey>(rows: Map<string, Row>, row: Row): void {
    if (row.plan === undefined && row.limits === undefined) rows.delete(row.id)
    else rows.set(row.id, row)
  }

  function limitsOf(row: StoredProject | StoredKey | undefined, named: NamedPlan): Plan | undefined {
    return row?.limits ?? (row?.plan === undefined ? undefined : named(row.plan, plans.get(row.plan)))
  }

  function limited(
    scope: LimitedAccount['scope'],
    projectId: string,
    row: StoredProject | StoredKey,
    named: NamedPlan,
  ): readonly LimitedAccount[] {
    const limits = limitsOf(row, named)
    return limits === undefined ? [] : [{ scope, id: row.id, projectId, limits }]
  }

  return {
    find: (projectId, keyId, named = ofStore) => ({
      key: limitsOf(keys.get(keyId), named),
      project: limitsOf(projects.get(projectId), named),
    }),
    get version() {
      return version
    },
    all: (named = ofStore) => [
      ...[...projects.values()].flatMap((row) => limited('project', row.id, row, named)),
      ...[...keys.values()].flatMap((row) => limited('key', row.projectId, row, named)),
    ],
    replace(snapshot) {
      version++
      for (const rows of [plans, projects, keys]) rows.clear()
      for (const { id, limits } of snapshot.plans) plans.set(id, limits)
      for (const project of snapshot.projects) put(projects, project)
      for (const key of snapshot.keys) put(keys, key)
    },
    apply(change) {
      if (change.kind === 'plan' || change.kind === 'plan_removed') version++
      switch (change.kind) {
        case 'plan':
          plans.set(change.plan.id, change.plan.limits)
          break
        case 'plan_removed':
          plans.delete(change.planId)
          break
        case 'project':
          put(projects, change.project)
          break
        case 'project_removed':
          projects.delete(change.projectId)
          for (const { id, projectId } of keys.values()) if (projectId === change.projectId) keys.delete(id)
          break
        case 'key':
          put(keys, change.key)
          break
        case 'key_removed':
          keys.delete(change.keyId)
      }
    },
  }
}

const ofStore: NamedPlan = (_, stored) => stored
