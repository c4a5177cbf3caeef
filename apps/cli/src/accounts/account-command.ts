import type { ParseArgsOptionsConfig } from 'node:util'
import type { AdminClient, allPages } from '@wayleave/admin-api'
import type { CommandIo } from '../command.ts'
import type { ValuesOf as FlagsOf } from '../read-args.ts'
import { accountFlags, accountFlagsHelp, type AccountFlagValues, readNamedArgs } from './flags.ts'
import { type Column, printRows } from './print.ts'
import type { Subcommand } from './subcommands.ts'

/** The arguments of a command, by their names: a name with `?` may be left out. */
type ArgsOf<N extends readonly string[]> = {
  readonly [I in keyof N]: N[I] extends `${string}?` ? string | undefined : string
}

/** A call of a command. */
interface AccountCall<Args, Values, Read> {
  readonly client: AdminClient
  readonly args: Args
  readonly values: Values
  /** The result of `read`. */
  readonly given: Read
  readonly io: CommandIo
  /** Prints a record: lines for people, or JSON. */
  record(record: object): Promise<void>
  /** Prints a list: a table with a note, lines with tabs in a pipe, or a line of JSON for each. */
  rows<T>(rows: readonly T[], columns: readonly Column<T>[], note: string): void
  /** Prints what was done: JSON, or a note on stderr and `out` on stdout. */
  done(result: object, note: string, out?: string): void
}

type ValuesOf<F extends ParseArgsOptionsConfig> = FlagsOf<F & typeof accountFlags>

interface AccountParts<N extends readonly string[], F extends ParseArgsOptionsConfig, Read> {
  /** The command, such as `keys create`. */
  readonly name: string
  readonly args: N
  /** Stands in the usage between the arguments and `[flags]`. */
  readonly required?: string
  readonly summary: string
  readonly about?: string
  readonly flags?: F
  readonly flagsHelp?: string
  /** The text of `--json`. Default: one line of JSON. */
  readonly json?: string
  /** Reads the arguments before the accounts are opened. @throws UsageError */
  read?(values: ValuesOf<F>, args: ArgsOf<N>): Promise<Read> | Read
  run(call: AccountCall<ArgsOf<N>, ValuesOf<F>, Read>): Promise<void>
}

/** Reads all pages of a list. */
export async function allOf<T>(list: Parameters<typeof allPages<T>>[0]): Promise<readonly T[]> {
  const { allPages: pages } = await import('@wayleave/admin-api/client')
  const items: T[] = []
  for await (const item of pages(list)) items.push(item)
  return items
}

/** Makes a command on the accounts of a gateway or of its store. */
export function accountCommand<
  const N extends readonly string[],
  const F extends ParseArgsOptionsConfig,
  Read = undefined,
>(parts: AccountParts<N, F, Read>): Subcommand {
  const { name, args: names, required = '', summary, about, flags, flagsHelp, json = 'one line of JSON' } = parts
  const shown = names.map((each) => (each.endsWith('?') ? `[${each.slice(0, -1)}]` : each))
  const rows = [flagsHelp, `  --json              ${json}; an error as {"error":…}`, accountFlagsHelp]
  return {
    usage: [...shown, required, '[flags]'].filter((part) => part !== '').join(' '),
    summary,
    help: `${about === undefined ? '' : `${about}\n\n`}${rows.filter((row) => row !== undefined).join('\n')}\n`,
    async run(given, io) {
      const parsed = readNamedArgs(given, { ...accountFlags, ...flags }, names)
      const args = parsed.positionals as unknown as ArgsOf<N>
      const values = parsed.values as unknown as ValuesOf<F>
      const accounts = parsed.values as unknown as AccountFlagValues
      const read = (await parts.read?.(values, args)) as Read
      // The code of calls loads when there is one.
      const { runAccounts } = await import('./run-accounts.ts')
      return runAccounts({ name, io, flags: accounts }, (client) =>
        parts.run({
          client,
          args,
          values,
          given: read,
          io,
          record: async (record) => (await import('./print-record.ts')).printRecord(record, accounts.json, io),
          rows(items, columns, note) {
            if (accounts.json) io.stdout(items.map((item) => `${JSON.stringify(item)}\n`).join(''))
            else printRows(items, columns, note, io)
          },
          done(result, note, out = '') {
            io.stdout(accounts.json ? `${JSON.stringify(result)}\n` : out)
            if (!accounts.json) io.stderr(`${note}\n`)
          },
        }),
      )
    },
  }
}

/** Makes a command that removes something, after a question. */
export function removalCommand<const N extends readonly string[]>(parts: {
  readonly name: string
  readonly args: N
  readonly summary: string
  readonly about?: string
  readonly json: string
  question(client: AdminClient, args: ArgsOf<N>): Promise<string> | string
  remove(client: AdminClient, args: ArgsOf<N>): Promise<void>
  readonly result: (args: ArgsOf<N>) => object
  readonly note: (args: ArgsOf<N>) => string
}): Subcommand {
  const { about, question, remove, result, note, ...rest } = parts
  return accountCommand({
    ...rest,
    required: '[--yes]',
    about: `${about === undefined ? '' : `${about} `}A terminal asks first; elsewhere --yes is required.`,
    flags: { yes: { type: 'boolean', default: false } },
    flagsHelp: '  --yes               does not ask',
    async run({ client, args, values, io, done }) {
      await confirmRemoval(values.yes, io, async () => question(client, args))
      await remove(client, args)
      done(result(args), note(args))
    },
  })
}

/** Asks before something is removed, unless `yes`. @throws AccountsError where the answer is no, UsageError where nobody can be asked */
export async function confirmRemoval(yes: boolean, io: CommandIo, question: () => Promise<string>): Promise<void> {
  if (yes) return
  const [{ confirm }, { AccountsError }] = await Promise.all([import('./stdin.ts'), import('./run-accounts.ts')])
  if (!(await confirm(await question(), io))) throw new AccountsError('stopped', 'nothing was changed')
}
