import type { UsageDimension } from '@wayleave/metering'
import { auditPage, auditQuery, viewEntry } from '../model/audit.ts'
import { defaultLimit } from '../model/page.ts'
import { usage as usageSchema, usageQuery } from '../model/usage.ts'
import { invalid } from '../error.ts'
import type { RouteContext } from './context.ts'
import { type Route, route } from './route.ts'

const dayMs = 86_400_000
const periodMs = { minute: 60_000, hour: 3_600_000, day: dayMs } as const
const defaultSums = 1_000
const mostSums = 10_000
const dimensions: readonly UsageDimension[] = ['project', 'key', 'network', 'method', 'status']

/** The routes of usage and of the audit log. */
export function reportRoutes({ accounts, usage }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/usage',
      summary: 'Sum calls and credits',
      scopes: ['read', 'usage'],
      query: usageQuery,
      result: usageSchema,
      async run({ query, by: { at } }) {
        const { period = 'hour', to = at, from = Math.max(0, to - dayMs), by = [], limit = defaultSums } = query
        if (from > to) throw invalid([{ path: 'query.from', message: 'expected a time that is not after "to"' }])
        const start = from - (from % periodMs[period])
        const where = Object.fromEntries(
          dimensions.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
        )
        // An entry more than was asked for shows whether there are more, up to what a store gives.
        const wanted = Math.min(limit + 1, mostSums)
        const sums = await usage.query({ period, from: start, to, where, by: [...new Set(by)], limit: wanted })
        return { period, from: start, to, items: sums.slice(0, limit), complete: sums.length < wanted }
      },
    }),
    route({
      method: 'GET',
      path: '/audit',
      summary: 'List changes of accounts, the newest first',
      scopes: ['read'],
      query: auditQuery,
      result: auditPage,
      async run({ query: { project, after, limit = defaultLimit } }) {
        const before = after === undefined ? undefined : Number(after)
        const entries = await accounts.audit({ project, before, limit })
        const items = entries.map(viewEntry)
        return entries.length < limit ? { items } : { items, next: String(entries.at(-1)!.seq) }
      },
    }),
  ]
}
