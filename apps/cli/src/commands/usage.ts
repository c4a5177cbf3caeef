import type { Usage, UsageDimension, UsageQuery, UsageSum } from '@wayleave/admin-api'
import { systemClock } from '@wayleave/jsonrpc-core'
import { accountFlags, accountFlagsHelp, readArgs } from '../accounts/flags.ts'
import { momentFlag } from '../accounts/moments.ts'
import { type Column, printRows, timeCell } from '../accounts/print.ts'
import { runAccounts } from '../accounts/run-accounts.ts'
import { type Command, UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'

const dimensions = ['project', 'key', 'network', 'method', 'status'] as const satisfies readonly UsageDimension[]
const periods = ['minute', 'hour', 'day'] as const
const members = [...dimensions, ...periods]
type Member = (typeof members)[number]

const flags = {
  ...accountFlags,
  since: { type: 'string', default: '24h' },
  until: { type: 'string' },
  by: { type: 'string', default: 'method' },
  csv: { type: 'boolean', default: false },
  project: { type: 'string' },
  key: { type: 'string' },
  network: { type: 'string' },
  method: { type: 'string' },
  status: { type: 'string' },
} as const

const mostSums = 10_000
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/** `wayleave usage`: calls and credits, summed. */
export const usage: Command = {
  help: `Usage: wayleave usage [flags]

Sums calls and credits. A pipe gets a line for each sum, with tabs between: what --by names, calls, credits.

  --since WHEN        24h (default), 7d, or a moment: 2027-01-31, 2027-01-31T12:00:00Z
  --until WHEN        the same; default: now
  --by A,B            project, key, network, method (default), status; minute, hour or day. none: one sum
  --project P, --key K, --network N, --method M, --status S
                      only these
  --json              one line of JSON: {"period","from","to","items":[…],"complete"}; an error as {"error":…}
  --csv               lines of CSV, the first with the names of the columns
${accountFlagsHelp}

The range is widened to whole minutes (up to 2h ago), hours (up to 7d ago) or days, or to those of --by, by UTC. Status is 2xx, 4xx or
the like.
`,
  run(args, io) {
    const { values } = readArgs(args, flags, [])
    if (values.csv && values.json) throw new UsageError('expected --csv or --json, not both')
    const by = readBy(values.by)
    const now = systemClock.date()
    const { since, until } = values
    const to = until === undefined ? now : momentFlag('--until', until, now, 'ago')
    const from = momentFlag('--since', since, now, 'ago')
    if (from > to)
      throw new UsageError(`--since: expected a moment before ${until === undefined ? 'now' : 'that of --until'}`)
    const filters = dimensions.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const]))
    const query: UsageQuery = {
      ...Object.fromEntries(filters),
      from,
      to,
      period: periodOf(by, now - from),
      by: by.map((name) => (isPeriod(name) ? 'at' : name)),
      limit: mostSums,
    }
    return runAccounts({ name: 'usage', io, flags: values }, async (client) => {
      const answer = await client.usage(query)
      if (values.json) io.stdout(`${JSON.stringify(answer)}\n`)
      else if (values.csv) io.stdout(csvOf(answer, by))
      else printRows(answer.items, columnsOf(by, io.process.stdout.isTTY), totalOf(answer), io)
      if (!answer.complete) {
        io.stderr(`there are more than ${answer.items.length} sums: ask for less time, or for fewer members in --by\n`)
      }
    })
  },
}

function readBy(text: string): readonly Member[] {
  if (text === 'none') return []
  const names = text.split(',')
  for (const name of names) {
    if (members.some((known) => known === name)) continue
    throw new UsageError(
      `--by: expected some of ${members.join(', ')}, or none, got "${name}"${suggest(name, members)}`,
    )
  }
  const by = names as Member[]
  if (by.filter(isPeriod).length > 1) throw new UsageError('--by: expected one of minute, hour and day')
  return Array.from(new Set(by))
}

function isPeriod(name: Member): name is (typeof periods)[number] {
  return periods.some((period) => period === name)
}

/** Picks the period that is told apart, else the shortest that does not make the store read too many rows, or those it has pruned. */
function periodOf(by: readonly Member[], ageMs: number): (typeof periods)[number] {
  const named = by.find(isPeriod)
  if (named !== undefined) return named
  if (ageMs <= 2 * hourMs + minuteMs) return 'minute'
  return ageMs <= 7 * dayMs + hourMs ? 'hour' : 'day'
}

function columnsOf(by: readonly Member[], forPeople: boolean): readonly Column<UsageSum>[] {
  const number = (value: number): string => (forPeople ? value.toLocaleString('en-US') : String(value))
  return [
    ...by.map((name) => ({ title: name, cell: (sum: UsageSum) => cellOf(sum, name) || '-' })),
    { title: 'calls', cell: ({ calls }) => number(calls), right: true },
    { title: 'credits', cell: ({ credits }) => number(credits), right: true },
  ]
}

function cellOf(sum: UsageSum, name: Member): string {
  return isPeriod(name) ? timeCell(sum.at) : (sum[name] ?? '')
}

function totalOf({ items, from, to }: Usage): string {
  const calls = items.reduce((total, sum) => total + sum.calls, 0)
  const credits = items.reduce((total, sum) => total + sum.credits, 0)
  return `${calls.toLocaleString('en-US')} calls, ${credits.toLocaleString('en-US')} credits from ${timeCell(from)} to ${timeCell(to)}`
}

/** Prints CSV (RFC 4180). */
function csvOf({ items }: Usage, by: readonly Member[]): string {
  const rows = [
    [...by, 'calls', 'credits'],
    ...items.map((sum) => [...by.map((name) => cellOf(sum, name)), String(sum.calls), String(sum.credits)]),
  ]
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('')
}
