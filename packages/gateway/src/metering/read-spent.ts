import type { SpentCredits } from '@wayleave/metering'
import type { UsageStore } from '@wayleave/stores'
import type { PlannedAccount } from './plans.ts'

export interface ReadSpentOptions {
  readonly accounts: readonly PlannedAccount[]
  readonly store: Pick<UsageStore, 'query'>
  /** Ms since the Unix epoch. */
  readonly date: number
}

/** An account with quotas, and what it has spent. */
export interface AccountSpent {
  readonly account: PlannedAccount
  readonly spent: SpentCredits
}

/** Most sums that a store gives at once. */
const mostSums = 10_000

/**
 * Reads what keys and projects with quotas have spent in this day and month, as the store knows it, and in this day by method where
 * methods have quotas. Usage knows no visitors, so that theirs begin anew, and methods that it counts as `other` do, too.
 */
export async function readSpent({ accounts, store, date }: ReadSpentOptions): Promise<readonly AccountSpent[]> {
  const { day, month, end } = periodsOf(date)

  async function spentByKey(project: string, from: number): Promise<(key: string) => Promise<number>> {
    const where = { project }
    const sums = await store.query({ period: 'day', from, to: end, where, by: ['key'], limit: mostSums })
    const byKey = new Map(sums.map(({ key, credits }) => [key, credits]))
    // Keys beyond the most are asked for one by one.
    return async (key) => byKey.get(key) ?? (sums.length < mostSums ? 0 : spentBy({ project, key }, from))
  }

  async function spentBy(where: { readonly project: string; readonly key?: string }, from: number): Promise<number> {
    const [sum] = await store.query({ period: 'day', from, to: end, where, by: [], limit: 1 })
    return sum?.credits ?? 0
  }

  async function spentByMethod({ scope, id, projectId: project, plan }: PlannedAccount) {
    const rules = Object.values(plan.methods ?? {})
    if (rules.every(({ perDay }) => perDay === undefined)) return undefined
    const where = scope === 'key' ? { project, key: id } : { project }
    const sums = await store.query({ period: 'day', from: day, to: end, where, by: ['method'], limit: mostSums })
    return new Map(sums.map(({ method = '', credits }) => [method, credits]))
  }

  const limited = accounts.filter(
    ({ plan }) => plan.perDay !== undefined || plan.perMonth !== undefined || plan.methods !== undefined,
  )
  const found: AccountSpent[] = []
  for (const projectId of new Set(limited.map((account) => account.projectId))) {
    const ofDay = await spentByKey(projectId, day)
    const ofMonth = await spentByKey(projectId, month)
    for (const account of limited) {
      const { scope, id } = account
      if (account.projectId !== projectId) continue
      const [spentOfDay, spentOfMonth] =
        scope === 'key'
          ? [await ofDay(id), await ofMonth(id)]
          : [await spentBy({ project: id }, day), await spentBy({ project: id }, month)]
      const methods = await spentByMethod(account)
      found.push({ account, spent: { day: spentOfDay, month: spentOfMonth, methods, date } })
    }
  }
  return found
}

const dayMs = 86_400_000

/** The beginnings of the day and the month of a date, and the end of the day, UTC, in ms since the Unix epoch. */
function periodsOf(date: number): { readonly day: number; readonly month: number; readonly end: number } {
  const day = date - (date % dayMs)
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  const ofMonth = new Date(date).getUTCDate()
  return { day, month: day - (ofMonth - 1) * dayMs, end: day + dayMs }
}
