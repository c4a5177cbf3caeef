import { checkPlan, MeteringError, type Plan } from '@wayleave/metering'
import type { Log } from '@wayleave/telemetry'
import type { Accounts } from '../accounts/accounts.ts'
import type { NamedPlan } from '../accounts/stored-limits.ts'
import type { PlanOf, PlannedAccount, Plans } from './plans.ts'

/** Stands for limits that cannot be read: limits are never open, so no call passes that costs anything. */
const closed: Plan = { perDay: { credits: 0, marks: [] } }

/** The plans of callers and accounts of the store, and of the configuration where the store has no such account. */
export interface StoredPlans {
  readonly planOf: PlanOf
  /** The keys and projects of the store that have a plan. `plans`: those of the configuration, by default of the present one. */
  accounts(plans?: Pick<Plans, 'byName'>): readonly PlannedAccount[]
}

/**
 * Reads the plans of the accounts of the store. A plan that they name is that of the configuration, else that of the store. One that is
 * in neither admits nothing, nor does one that cannot be used, as a newer version or a hand may have written it.
 */
export function storedPlans(
  configured: () => Pick<Plans, 'planOf' | 'byName'>,
  stored: Pick<Accounts, 'limitsOf' | 'limits'>,
  log: Log,
): StoredPlans {
  const namedIn =
    ({ byName }: Pick<Plans, 'byName'>): NamedPlan =>
    (name, ofStore) => {
      const plan = byName.get(name) ?? ofStore
      if (plan !== undefined) return plan
      log.repeats.error(
        ['plan', name],
        { plan: name },
        'a plan is not there; calls of accounts that have it are refused',
      )
      return closed
    }

  function readable(plan: Plan, of: string): Plan {
    try {
      checkPlan(plan, of)
      return plan
    } catch (thrown) {
      if (!(thrown instanceof MeteringError)) throw thrown
      const { message: reason } = thrown
      log.repeats.error(['plan', of], { reason }, 'limits of the store cannot be used; calls under them are refused')
      return closed
    }
  }

  return {
    planOf(caller) {
      const plans = configured()
      const limits = stored.limitsOf(caller, namedIn(plans))
      if (limits === undefined) return plans.planOf(caller)
      const { key, project } = limits
      return {
        key: key && readable(key, `the limits of key "${caller.keyId}"`),
        project: project && readable(project, `the limits of project "${caller.project.id}"`),
      }
    },
    accounts: (plans = configured()) =>
      (stored.limits?.all(namedIn(plans)) ?? []).map(({ limits, ...account }) => ({
        ...account,
        plan: readable(limits, `the limits of ${account.scope} "${account.id}"`),
      })),
  }
}
