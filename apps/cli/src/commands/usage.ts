import type { Usage, UsageSum } from '@wayleave/admin-api'
import { systemClock } from '@wayleave/jsonrpc-core'
import { accountFlags, accountFlagsHelp, readNamedArgs } from '../accounts/flags.ts'
import { type Column, printRows, timeCell } from '../accounts/print.ts'
import { runAccounts } from '../accounts/run-accounts.ts'
import { isUsagePeriod, type UsageMember, usageMembers, usageQuery } from '../accounts/usage-query.ts'
import { type Command, UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'
import { textFlags } from '../read-args.ts'

const flags = {
  ...accountFlags,
  since: { type: 'string', default: '24h' },
  until: { type: 'string' },
  by: { type: 'string', default: 'method' },
  csv: { type: 'boolean', default: false },
  ...textFlags('project', 'key', 'network', 'method', 'status'),
} as const

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
    const { values } = readNamedArgs(args, flags, [])
    if (values.csv && values.json) throw new UsageError('expected --csv or --json, not both')
    const by = readBy(values.by)
    const query = usageQuery({ ...values, by }, systemClock.date(), (member) => `--${member}`)
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

function readBy(text: string): readonly UsageMember[] {
  if (text === 'none') return []
  const names = text.split(',')
  for (const name of names) {
    if (usageMembers.some((known) => known === name)) continue
    throw new UsageError(
      `--by: expected some of ${usageMembers.join(', ')}, or none, got "${name}"${suggest(name, usageMembers)}`,
    )
  }
  const by = names as UsageMember[]
  if (by.filter(isUsagePeriod).length > 1) throw new UsageError('--by: expected one of minute, hour and day')
  return Array.from(new Set(by))
}

function columnsOf(by: readonly UsageMember[], forPeople: boolean): readonly Column<UsageSum>[] {
  const number = (value: number): string => (forPeople ? value.toLocaleString('en-US') : String(value))
  return [
    ...by.map((name) => ({ title: name, cell: (sum: UsageSum) => cellOf(sum, name) || '-' })),
    { title: 'calls', cell: ({ calls }) => number(calls), right: true },
    { title: 'credits', cell: ({ credits }) => number(credits), right: true },
  ]
}

function cellOf(sum: UsageSum, name: UsageMember): string {
  return isUsagePeriod(name) ? timeCell(sum.at) : (sum[name] ?? '')
}

function totalOf({ items, from, to }: Usage): string {
  const calls = items.reduce((total, sum) => total + sum.calls, 0)
  const credits = items.reduce((total, sum) => total + sum.credits, 0)
  return `${calls.toLocaleString('en-US')} calls, ${credits.toLocaleString('en-US')} credits from ${timeCell(from)} to ${timeCell(to)}`
}

/** Prints CSV (RFC 4180). */
function csvOf({ items }: Usage, by: readonly UsageMember[]): string {
  const rows = [
    [...by, 'calls', 'credits'],
    ...items.map((sum) => [...by.map((name) => cellOf(sum, name)), String(sum.calls), String(sum.credits)]),
  ]
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('')
}
