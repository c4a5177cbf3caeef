import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type CommandIo, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { suggest } from './suggest.ts'

const help = `wayleave: blockchain node access that anyone can run

Usage: wayleave COMMAND [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`).join('\n')}

wayleave COMMAND --help tells more.
`

/** Finds the command that `args` name, runs it, and reports wrong use. Resolves with the exit code; rejects only for a bug. */
export async function run([name, ...rest]: readonly string[], io: CommandIo): Promise<number> {
  if (name === undefined) {
    io.stderr(help)
    return 2
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    io.stdout(help)
    return 0
  }
  const listed = commands.find((candidate) => candidate.name === name)
  if (listed === undefined) {
    const names = commands.map((known) => known.name)
    io.stderr(`wayleave: there is no command "${name}"${suggest(name, names)}; there are ${names.join(', ')}\n`)
    return 2
  }
  const command = await listed.load()
  try {
    if (asksForHelp(rest)) {
      io.stdout(typeof command.help === 'string' ? command.help : command.help(rest))
      return 0
    }
    return await command.run(rest, io)
  } catch (thrown) {
    if (!isUsage(thrown)) throw thrown
    io.stderr(`wayleave ${name}: ${thrown.message}\nwayleave ${name} --help tells more.\n`)
    return 2
  }
}

/** Looks for help flags before `--`: a file behind it may be called `-h`. */
function asksForHelp(args: readonly string[]): boolean {
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return flags.includes('--help') || flags.includes('-h')
}

/** Tells whether an error means wrong use: a UsageError, one of `parseArgs`, or a SchemaError of a param or slot. */
function isUsage(thrown: unknown): thrown is Error {
  if (thrown instanceof UsageError || thrown instanceof SchemaError) return true
  return thrown instanceof TypeError && String((thrown as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_')
}
