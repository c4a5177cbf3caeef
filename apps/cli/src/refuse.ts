import { shortNames } from './call/short-names.ts'
import { asksFor, helpOf } from './asked.ts'
import { type Command, type CommandIo, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { visible } from './output/visible.ts'
import { parseFailure, withoutUrls } from './parse-failure.ts'
import { suggest } from './suggest.ts'

/** A command that ended with an error. */
interface Failed {
  readonly io: CommandIo
  readonly args: readonly string[]
  /** Its name, as its user called it. */
  readonly name: string
  readonly command: Command
  /** Whether it was called by a short name such as `balance`, which is a command of its own to its user. */
  readonly isShort: boolean
}

/** Reports wrong use, for `--json` as a line of JSON. Returns the exit code. @throws what was thrown, if that means anything else */
export function refuse(thrown: unknown, { io, args, name, command, isShort }: Failed): number {
  const message = isUsage(thrown) ? thrown.message : parseFailure(thrown, helpNear(command, args))
  if (message === undefined) throw thrown
  const words = isShort ? [] : wordsWithHelp(command, args)
  const print = command.writesContent?.(args) === true ? io.stderr : io.stdout
  return report(
    message,
    args,
    io,
    print,
    ['wayleave', name],
    `${['wayleave', name, ...words].join(' ')} --help tells more.\n`,
  )
}

/** Reports a command that is not there. Returns the exit code. */
export function refuseUnknown(name: string, rest: readonly string[], io: CommandIo): number {
  return report(unknownCommand(name), [name, ...rest], io, io.stdout, ['wayleave'], '')
}

function report(
  given: string,
  args: readonly string[],
  io: CommandIo,
  printJson: CommandIo['stdout'],
  place: readonly string[],
  more: string,
): number {
  const message = withoutUrls(given, args)
  if (asksFor(args, '--json')) printJson(`${JSON.stringify({ error: { code: 'usage', message } })}\n`)
  else io.stderr(visible(`${place.join(' ')}: ${message}\n${more}`))
  return 2
}

function unknownCommand(name: string): string {
  if (name.startsWith('-')) {
    const meant = suggest(name, ['--help', '-h', '--version', '-v'])
    return `expected a COMMAND before flags, got "${name}"${meant}; wayleave --help lists them`
  }
  if (/^[a-z\d]+_\w+$/.test(name)) return `there is no command "${name}"; wayleave rpc ${name} calls a method`
  const names = commands.map((known) => known.name)
  const near = suggest(name, [...names, ...Object.keys(shortNames), 'help'])
  return `there is no command "${name}"${near}; there are ${names.join(', ')}`
}

/** Returns the help that tells of these arguments, or that of the whole command if they are wrong. */
function helpNear(command: Command, args: readonly string[]): string {
  try {
    return helpOf(command, args)
  } catch {
    return helpOf(command, [])
  }
}

/** Finds the words at the beginning of `args` that have a help of their own: `create` in `keys create shop`. */
function wordsWithHelp(command: Command, args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => !/^[a-z][\w-]*$/i.test(arg))
  const words = args.slice(0, Math.min(mostWords, end < 0 ? args.length : end))
  const whole = helpNear(command, [])
  const helps = words.map((_, i) => helpNear(command, words.slice(0, i + 1)))
  const last = helps.findLastIndex((help, i) => help !== whole && help !== helps[i - 1])
  return words.slice(0, last + 1)
}

/** Most words behind a command that have a help of their own: `wayleave starknet subscribe newHeads`. */
const mostWords = 2

/** Tells whether an error means wrong use: a UsageError, or a SchemaError of a param or slot. Its class would have to be loaded. */
function isUsage(thrown: unknown): thrown is Error {
  return thrown instanceof UsageError || (thrown instanceof Error && thrown.name === 'SchemaError')
}
