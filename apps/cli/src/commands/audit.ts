import type { AuditEntry } from '@wayleave/admin-api'
import { accountFlags, accountFlagsHelp, readNamedArgs } from '../accounts/flags.ts'
import { type Column, countOf, printRows, timeCell } from '../accounts/print.ts'
import { runAccounts } from '../accounts/run-accounts.ts'
import { type Command, UsageError } from '../command.ts'

const flags = { ...accountFlags, project: { type: 'string' }, limit: { type: 'string', default: '100' } } as const
const mostInPage = 1_000

const columns: readonly Column<AuditEntry>[] = [
  { title: 'at', cell: ({ at }) => timeCell(at) },
  { title: 'actor', cell: ({ actor }) => actor },
  { title: 'action', cell: ({ action }) => action },
  { title: 'project', cell: ({ project }) => project ?? '-' },
  { title: 'id', cell: ({ id }) => id },
]

/** `wayleave audit`: who changed which account, and when. */
export const audit: Command = {
  help: `Usage: wayleave audit [flags]

Lists changes of accounts, the newest first. The actor is the name of the admin token, or cli:USER for changes with --config or --store.
A pipe gets, with tabs between: at, actor, action, project, id.

  --project P         of one project
  --limit N           at most N changes; default 100
  --json              a line of JSON for each change, in it the record before and after; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values } = readNamedArgs(args, flags, [])
    const most = Number(values.limit)
    if (!/^\d{1,6}$/.test(values.limit) || most === 0) {
      throw new UsageError(`--limit: expected a whole number from 1 to 999999, got "${values.limit}"`)
    }
    const { project } = values
    return runAccounts({ name: 'audit', io, flags: values }, async (client) => {
      const entries: AuditEntry[] = []
      let after: string | undefined
      do {
        const page = await client.audit({
          limit: Math.min(most - entries.length, mostInPage),
          ...(after !== undefined && { after }),
          ...(project !== undefined && { project }),
        })
        entries.push(...page.items)
        after = page.next
      } while (after !== undefined && entries.length < most)
      if (values.json) return io.stdout(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      const note = `${entries.length === 0 ? 'no changes' : countOf(entries.length, 'change')}${after === undefined ? '' : ', --limit shows more'}`
      printRows(entries, columns, note, io)
    })
  },
}
