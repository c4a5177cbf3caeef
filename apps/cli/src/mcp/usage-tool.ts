import type { UsageSum } from '@wayleave/admin-api'
import { createAdminClient } from '@wayleave/admin-api/client'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { array, boolean, integer, oneOf, optional, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import { isoOf } from '../accounts/moments.ts'
import type { GatewayPlace } from '../accounts/gateway-place.ts'
import { timeCell } from '../accounts/print.ts'
import { alignCells } from '../output/align-cells.ts'
import { isUsagePeriod, type UsageMember, usageMembers, usageQuery } from '../accounts/usage-query.ts'
import { oneLine } from '../output/visible.ts'
import { anyText, cut, exact, words } from './fields.ts'
import { createTool, type Tool, type ToolAnswer } from './tool.ts'

const [usualRows, mostRows] = [100, 1_000]
const moment = 'a time ago such as 15m, 24h or 7d, or a moment: 2027-01-31T12:00:00Z'
const count = integer('a whole number', 0)
const filter = optional(words('only sums of this one', 256))

const input = exact('a question about usage', {
  since: optional(words(`${moment}; default 24h`, 40)),
  until: optional(words(`${moment}; default now`, 40)),
  by: optional({
    ...array(oneOf(...usageMembers)),
    expected: `the members that sums are told apart by, at most one of minute, hour and day; default ["method"], []: one sum`,
  }),
  project: filter,
  key: optional(words('only sums of this key, by its id', 256)),
  network: filter,
  method: filter,
  status: optional(words('only sums of this status: 2xx, 4xx or the like', 256)),
  limit: optional(integer(`the most sums to tell, 1 to ${mostRows}; default ${usualRows}`, 1, mostRows)),
})

/** A sum in an answer: its time is told in ISO 8601. */
const sum = exact('a sum', {
  at: optional(anyText),
  project: optional(anyText),
  key: optional(anyText),
  network: optional(anyText),
  method: optional(anyText),
  status: optional(anyText),
  calls: count,
  credits: count,
})
const output = exact('usage', {
  from: anyText,
  to: anyText,
  rows: array(sum),
  calls: count,
  credits: count,
  complete: boolean,
})

/** Creates the tool that sums calls and credits. */
export function createUsageTool(place: GatewayPlace, clock: Pick<Clock, 'date'> = systemClock): Tool {
  return createTool({
    name: 'usage',
    title: 'Usage',
    description:
      'Sums the calls and credits of a Wayleave gateway by project, key, network, method, status or time. Sums are those with the most calls first, or by time.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input,
    output,
    async run({ since = '24h', by: given = ['method'], limit = usualRows, ...rest }, signal): Promise<ToolAnswer> {
      const { url, token, timeoutMs } = place
      if (token === undefined) return { fault: noToken }
      const by = [...new Set(given as readonly UsageMember[])]
      if (by.filter(isUsagePeriod).length > 1) return { fault: 'by: expected one of minute, hour and day' }
      const query = usageQuery({ ...rest, since, by }, clock.date(), String)
      const client = createAdminClient({
        url,
        token,
        timeoutMs,
        fetch: (target, init) => fetch(target, { ...init, signal: bothOf(init?.signal, signal) }),
      })
      const { items, from, to, complete } = await client.usage(query)
      const rows = by.some(isUsagePeriod) ? items : items.toSorted((a, b) => b.calls - a.calls)
      const reported = rows.slice(0, limit)
      const data: TypeOf<typeof output> = {
        from: timeCell(from),
        to: timeCell(to),
        rows: reported.map(rowOf),
        calls: items.reduce((all, each) => all + each.calls, 0),
        credits: items.reduce((all, each) => all + each.credits, 0),
        complete: complete && reported.length === rows.length,
      }
      return { data, text: textOf(data, by) }
    },
  })
}

const noToken =
  'usage needs an admin token: start wayleave mcp with $WAYLEAVE_ADMIN_TOKEN or --token-file FILE, and the gateway with a store or dataDir'

function bothOf(own: AbortSignal | null | undefined, signal: AbortSignal): AbortSignal {
  return own ? AbortSignal.any([own, signal]) : signal
}

function rowOf({ at, calls, credits, ...members }: UsageSum): TypeOf<typeof sum> {
  const names = ['project', 'key', 'network', 'method', 'status'] as const
  const texts = names.flatMap((name) => (members[name] === undefined ? [] : [[name, cut(members[name])] as const]))
  return {
    ...(at !== undefined && { at: isoOf(at) ?? String(at) }),
    ...Object.fromEntries(texts),
    calls,
    credits,
  }
}

function textOf(
  { from, to, rows, calls, credits, complete }: TypeOf<typeof output>,
  by: readonly UsageMember[],
): string {
  const number = (value: number): string => value.toLocaleString('en-US')
  const columns = [...by.map((title) => ({ title })), ...['calls', 'credits'].map((title) => ({ title, right: true }))]
  const cells = rows.map((row) => [
    ...by.map((name) => oneLine((isUsagePeriod(name) ? row.at : row[name]) ?? '-')),
    number(row.calls),
    number(row.credits),
  ])
  const total = `${number(calls)} calls, ${number(credits)} credits from ${from} to ${to}`
  const more = complete
    ? []
    : ['there are further sums: ask for less time, for fewer members in by, or for a higher limit']
  return [...(rows.length === 0 ? [] : alignCells(cells, columns)), total, ...more].join('\n')
}
