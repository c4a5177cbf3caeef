import { checkPlan, MeteringError, type Plan } from '@wayleave/metering'
import type { Accounts } from '../accounts/accounts.ts'
import type { Log } from '../telemetry/log.ts'
import type { PlanOf, PlannedAccount } from './plans.ts'

/** Stands for limits that cannot be read: limits are never open, so no call passes that costs anything. */
const closed: Plan = { perDay: { credits: 0, marks: [] } }

/** The plans of callers and accounts of the store, and of the configuration where the store has none. */
export interface StoredPlans {
  readonly planOf: PlanOf
  /** The keys and projects of the store that have a plan. */
  accounts(): readonly PlannedAccount[]
}

/** Reads the plans of the store. One that cannot be used, as a newer version or a hand may have written it, admits nothing. */
export function storedPlans(planOf: PlanOf, stored: Pick<Accounts, 'limitsOf' | 'limits'>, log: Log): StoredPlans {
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
      const limits = stored.limitsOf(caller)
      if (limits === undefined) return planOf(caller)
      const { key, project } = limits
      return {
        key: key && readable(key, `the limits of key "${caller.keyId}"`),
        project: project && readable(project, `the limits of project "${caller.project.id}"`),
      }
    },
    accounts: () =>
      (stored.limits?.all() ?? []).map(({ limits, ...account }) => ({
        ...account,
        plan: readable(limits, `the limits of ${account.scope} "${account.id}"`),
      })),
  }
}
