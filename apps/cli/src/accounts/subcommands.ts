import { type Command, type CommandIo, UsageError } from '../command.ts'

/** A subcommand, such as `keys create`. */
export interface Subcommand {
  /** Its arguments, such as `PROJECT [flags]`. */
  readonly usage: string
  /** One line for the list. */
  readonly summary: string
  /** The text of its `--help` behind the usage. */
  readonly help: string
  run(args: readonly string[], io: CommandIo): Promise<number>
}

/** Makes the error for a word that is no subcommand; undefined: there was none. */
export async function unknownSubcommand(word: string | undefined, names: readonly string[]): Promise<UsageError> {
  const { suggest } = await import('../suggest.ts')
  const hint = word?.startsWith('-') === true ? '; flags go behind it' : suggest(word ?? '', names)
  const got = word === undefined ? '' : `, got "${word}"${hint}`
  return new UsageError(`expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)}${got}`)
}

/** Makes a command out of its subcommands. */
export function commandOf(name: string, purpose: string, subcommands: Readonly<Record<string, Subcommand>>): Command {
  const names = Object.keys(subcommands)
  const find = (sub: string | undefined): Subcommand | undefined =>
    sub !== undefined && Object.hasOwn(subcommands, sub) ? subcommands[sub] : undefined
  return {
    help(args) {
      const sub = args.find((arg) => find(arg) !== undefined)
      const found = find(sub)
      if (found !== undefined) return `Usage: wayleave ${name} ${sub} ${found.usage}\n\n${found.help}`
      const rows = Object.entries(subcommands).map(([own, { summary }]) => `  ${own.padEnd(16)}${summary}\n`)
      return `Usage: wayleave ${name} COMMAND [flags]\n\n${purpose}\n\n${rows.join('')}\nwayleave ${name} COMMAND --help tells more.\n`
    },
    async run([sub, ...args], io) {
      const found = find(sub)
      if (found === undefined) {
        throw await unknownSubcommand(sub, names)
      }
      try {
        return await found.run(args, io)
      } catch (thrown) {
        const { parseFailure } = await import('../parse-failure.ts')
        const message = thrown instanceof UsageError ? thrown.message : parseFailure(thrown, found.help)
        throw message === undefined ? thrown : new UsageError(`${sub}: ${message}`)
      }
    },
  }
}
