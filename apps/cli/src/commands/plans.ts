import { allPages, type Plan, type PlanFields } from '@wayleave/admin-api'
import { accountFlags, accountFlagsHelp, jsonFlag, readArgs } from '../accounts/flags.ts'
import { confirmRemoval } from '../accounts/keys.ts'
import { type Column, countOf, printRecord, printRows } from '../accounts/print.ts'
import { runAccounts } from '../accounts/run-accounts.ts'
import { commandOf, type Subcommand } from '../accounts/subcommands.ts'
import { type Command, UsageError } from '../command.ts'

const columns: readonly Column<Plan>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name },
  { title: 'limits', cell: ({ limits }) => JSON.stringify(limits) },
  { title: 'source', cell: ({ source }) => source },
]

const list: Subcommand = {
  usage: '[flags]',
  summary: 'lists plans with their limits',
  help: `Those of the configuration come first; projects and keys of the store may have them, too. --store knows its own alone.
A pipe gets, with tabs between: id, name, limits as JSON, source.

  --json              a line of JSON for each plan; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values } = readArgs(args, accountFlags, [])
    return runAccounts({ name: 'plans list', io, flags: values }, async (client) => {
      const plans: Plan[] = []
      for await (const plan of allPages((page) => client.plans.list(page))) plans.push(plan)
      if (values.json) io.stdout(plans.map((plan) => `${JSON.stringify(plan)}\n`).join(''))
      else printRows(plans, columns, countText(plans.length, values.store !== undefined), io)
    })
  },
}

function countText(count: number, isOfStore: boolean): string {
  const text = count === 0 ? 'no plans' : countOf(count, 'plan')
  return isOfStore
    ? `${text} in the store; --config FILE in place of --store lists those of a configuration, too`
    : text
}

const put: Subcommand = {
  usage: 'PLAN --limits JSON [flags]',
  summary: 'makes a plan, or replaces it',
  help: `All keys and projects that have it follow at once.

  --limits JSON       or @FILE: {"perSecond":{"credits":500},"perDay":{"credits":1000000},"perMonth":{"credits":9000000,"action":"warn"}}
  --name TEXT         default: the id
  --json              one line of JSON; an error as {"error":…}
${accountFlagsHelp}
`,
  async run(args, io) {
    const flags = { ...accountFlags, limits: { type: 'string' }, name: { type: 'string' } } as const
    const { values, positionals } = readArgs(args, flags, ['PLAN'])
    const limits = (await jsonFlag('--limits', values.limits)) as PlanFields['limits'] | undefined
    if (limits === undefined) throw new UsageError('expected --limits JSON, {} for none')
    return runAccounts({ name: 'plans put', io, flags: values }, async (client) => {
      const { name } = values
      printRecord(
        await client.plans.put(positionals[0]!, { limits, ...(name !== undefined && { name }) }),
        values.json,
        io,
      )
    })
  },
}

const remove: Subcommand = {
  usage: 'PLAN [--yes] [flags]',
  summary: 'removes a plan that nothing has',
  help: `A terminal asks first; elsewhere --yes is required.

  --yes               does not ask
  --json              {"removed":PLAN}; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const flags = { ...accountFlags, yes: { type: 'boolean', default: false } } as const
    const { values, positionals } = readArgs(args, flags, ['PLAN'])
    const id = positionals[0]!
    return runAccounts({ name: 'plans remove', io, flags: values }, async (client) => {
      await confirmRemoval(values.yes, io, async () => `Remove plan ${id}?`)
      await client.plans.remove(id)
      if (values.json) io.stdout(`${JSON.stringify({ removed: id })}\n`)
      else io.stderr(`removed plan ${id}\n`)
    })
  },
}

/** `wayleave plans`: limits that many keys and projects have. */
export const plans: Command = commandOf('plans', 'Limits that many keys and projects have.', { list, put, remove })
