import type { Plan, PlanFields } from '@wayleave/admin-api'
import { accountCommand, allOf, removalCommand } from '../accounts/account-command.ts'
import { jsonFlag } from '../accounts/flags.ts'
import { type Column, countOf } from '../accounts/print.ts'
import { commandOf, type Subcommand } from '../accounts/subcommands.ts'
import { type Command, UsageError } from '../command.ts'

const columns: readonly Column<Plan>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name },
  { title: 'limits', cell: ({ limits }) => JSON.stringify(limits) },
  { title: 'source', cell: ({ source }) => source },
]

const list: Subcommand = accountCommand({
  name: 'plans list',
  args: [],
  summary: 'lists plans with their limits',
  about: `Those of the configuration come first; projects and keys of the store may have them, too. --store knows its own alone.
A pipe gets, with tabs between: id, name, limits as JSON, source.`,
  json: 'a line of JSON for each plan',
  async run({ client, values, rows }) {
    const plans = await allOf((page) => client.plans.list(page))
    rows(plans, columns, countText(plans.length, values.store !== undefined))
  },
})

function countText(count: number, isOfStore: boolean): string {
  const text = count === 0 ? 'no plans' : countOf(count, 'plan')
  return isOfStore
    ? `${text} in the store; --config FILE in place of --store lists those of a configuration, too`
    : text
}

const put: Subcommand = accountCommand({
  name: 'plans put',
  args: ['PLAN'],
  required: '--limits JSON',
  summary: 'makes a plan, or replaces it',
  about: 'All keys and projects that have it follow at once.',
  flags: { limits: { type: 'string' }, name: { type: 'string' } },
  flagsHelp: `  --limits JSON       or @FILE: {"perSecond":{"credits":500},"perDay":{"credits":1000000},"perMonth":{"credits":9000000,"action":"warn"}}
  --name TEXT         default: the id`,
  async read({ limits: given, name }) {
    const limits = (await jsonFlag('--limits', given)) as PlanFields['limits'] | undefined
    if (limits === undefined) throw new UsageError('expected --limits JSON, {} for none')
    return { limits, ...(name !== undefined && { name }) }
  },
  run: async ({ client, args: [id], given, record }) => record(await client.plans.put(id, given)),
})

const remove: Subcommand = removalCommand({
  name: 'plans remove',
  args: ['PLAN'],
  summary: 'removes a plan that nothing has',
  json: '{"removed":PLAN}',
  question: (_, [id]) => `Remove plan ${id}?`,
  remove: (client, [id]) => client.plans.remove(id),
  result: ([id]) => ({ removed: id }),
  note: ([id]) => `removed plan ${id}`,
})

/** `wayleave plans`: limits that many keys and projects have. */
export const plans: Command = commandOf('plans', 'Limits that many keys and projects have.', { list, put, remove })
