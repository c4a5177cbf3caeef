import type { Limits } from '@wayleave/metering'
import type { UsageStore } from '@wayleave/stores'
import type { PlannedAccount } from './plans.ts'

export interface RestoreSpentOptions {
  readonly accounts: readonly PlannedAccount[]
  readonly store: Pick<UsageStore, 'query'>
  readonly limits: Pick<Limits, 'restore'>
  /** Ms since the Unix epoch. */
  readonly date: number
}

/** Most keys of a project whose usage is read at once. */
const mostKeys = 10_000

/** Makes count what keys and projects with quotas have spent in this day and month, as the store knows it. */
export async function restoreSpent({ accounts, store, limits, date }: RestoreSpentOptions): Promise<void> {
  const { day, month, end } = periodsOf(date)

  async function spentBy(projectId: string, by: readonly 'key'[], from: number): Promise<ReadonlyMap<string, number>> {
    const where = { project: projectId }
    const sums = await store.query({ period: 'day', from, to: end, where, by, limit: by.length === 0 ? 1 : mostKeys })
    return new Map(sums.map(({ key = projectId, credits }) => [key, credits]))
  }

  const limited = accounts.filter(({ plan }) => plan.perDay !== undefined || plan.perMonth !== undefined)
  for (const scope of ['key', 'project'] as const) {
    const parties = limited.filter((account) => account.scope === scope)
    for (const projectId of new Set(parties.map((account) => account.projectId))) {
      const by = scope === 'key' ? (['key'] as const) : []
      const ofDay = await spentBy(projectId, by, day)
      const ofMonth = await spentBy(projectId, by, month)
      for (const { id, plan, projectId: own } of parties) {
        if (own !== projectId) continue
        limits.restore({ scope, id, plan }, { day: ofDay.get(id) ?? 0, month: ofMonth.get(id) ?? 0, date })
      }
    }
  }
}

const dayMs = 86_400_000

/** The beginnings of the day and the month of a date, and the end of the day, UTC, in ms since the Unix epoch. */
function periodsOf(date: number): { readonly day: number; readonly month: number; readonly end: number } {
  const day = date - (date % dayMs)
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  const ofMonth = new Date(date).getUTCDate()
  return { day, month: day - (ofMonth - 1) * dayMs, end: day + dayMs }
}
