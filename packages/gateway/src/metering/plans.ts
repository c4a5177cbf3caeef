import { isDeepStrictEqual } from 'node:util'
import type { AccountSnapshot } from '@wayleave/auth'
import { checkPlan, MeteringError, type Plan } from '@wayleave/metering'
import type { NamedProject } from '../config/accounts.ts'
import type { Config } from '../config/config.ts'
import type { Principal } from '../principal.ts'

/** The plans of a caller; one that is absent sets no limits. */
export interface CallerPlans {
  /** That of their key. */
  readonly key?: Plan | undefined
  /** That of their project, whose limits hold for all its keys together. */
  readonly project?: Plan | undefined
}

/** Finds the plans of a caller. Until a plan changes it is the same object. */
export type PlanOf = (caller: Pick<Principal, 'project' | 'keyId'>) => CallerPlans

/** A key or a project that has a plan. */
export interface PlannedAccount {
  readonly scope: 'key' | 'project'
  readonly id: string
  readonly projectId: string
  readonly plan: Plan
}

/** The plans of a configuration. */
export interface Plans {
  readonly planOf: PlanOf
  /** The keys and projects that have one, without the keys that are disabled. */
  readonly accounts: readonly PlannedAccount[]
  readonly byName: ReadonlyMap<string, Plan>
}

/**
 * Reads the plans of a configuration. `keys` are the stored keys of `projects`, in their order; a plan that `before` has with the same
 * limits stays the same object.
 * @throws MeteringError `invalid_plan`, of an unchecked configuration
 */
export function plansOf(
  { plans: configured = {} }: Pick<Config, 'plans'>,
  projects: readonly NamedProject[],
  { keys }: Pick<AccountSnapshot, 'keys'>,
  before?: Pick<Plans, 'byName'>,
): Plans {
  const plans = new Map<string, Plan>(Object.entries(configured))
  for (const [name, plan] of plans) {
    checkPlan(plan, `plans.${name}`)
    const known = before?.byName.get(name)
    if (isDeepStrictEqual(known, plan)) plans.set(name, known!)
  }

  function named(name: string): Plan {
    const plan = plans.get(name)
    if (plan !== undefined) return plan
    throw new MeteringError('invalid_plan', `there is no plan "${name}" among \`plans\``)
  }

  const accounts: PlannedAccount[] = []
  let next = 0
  for (const { id: projectId, plan, keys: entries } of projects) {
    if (plan !== undefined) accounts.push({ scope: 'project', id: projectId, projectId, plan: named(plan) })
    for (const entry of entries) {
      const { id, disabled } = keys[next++]!
      if (entry.plan !== undefined && disabled !== true)
        accounts.push({ scope: 'key', id, projectId, plan: named(entry.plan) })
    }
  }
  const keyPlans = new Map(accounts.flatMap(({ scope, id, plan }) => (scope === 'key' ? [[id, plan]] : [])))
  return {
    planOf: ({ project, keyId }) => ({
      key: keyPlans.get(keyId),
      project: project.plan === undefined ? undefined : plans.get(project.plan),
    }),
    accounts,
    byName: plans,
  }
}
