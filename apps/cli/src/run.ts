import { shortNamed, shortNames } from './call/short-names.ts'
import { type Command, type CommandIo, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { visible } from './output/visible.ts'
import { ownVersion } from './own-version.ts'
import { parseFailure, withoutUrls } from './parse-failure.ts'
import { rootHelp } from './root-help.ts'
import { suggest } from './suggest.ts'

/** Finds the command that `args` name, runs it, and reports wrong use. Resolves with the exit code; rejects only for a bug. */
export async function run([name, ...rest]: readonly string[], io: CommandIo): Promise<number> {
  if (name === undefined) {
    io.stderr(rootHelp(commands))
    return 2
  }
  if (name === 'help' && rest[0] !== undefined) return run([...rest, '--help'], io)
  if (name === 'help' || name === '--help' || name === '-h') {
    io.stdout(rootHelp(commands))
    return 0
  }
  if (name === 'version' || name === '--version' || name === '-v') {
    const version = ownVersion()
    io.stdout(`${rest.includes('--json') ? JSON.stringify({ version }) : version}\n`)
    return 0
  }
  return shortNamed(name) === undefined ? runNamed(name, rest, io) : runNamed('eth', [name, ...rest], io, name)
}

/** Runs a command, which its user called `called`. */
async function runNamed(
  name: string,
  rest: readonly string[],
  given: CommandIo,
  called: string = name,
): Promise<number> {
  const io = asksFor(rest, '--json') && given.process.stdout.isTTY ? withVisibleJson(given) : given
  const listed = commands.find((candidate) => candidate.name === name)
  if (listed === undefined) return refuse(unknownCommand(name), { io, args: [name, ...rest] })
  const command = await listed.load()
  try {
    if (asksFor(rest, '--help') || asksFor(rest, '-h')) {
      io.stdout(helpOf(command, rest))
      return 0
    }
    return await command.run(rest, io)
  } catch (thrown) {
    const message = isUsage(thrown) ? thrown.message : parseFailure(thrown, helpNear(command, rest))
    if (message === undefined) throw thrown
    // A short name such as `balance` is a command of its own to its user.
    const words = called === name ? wordsWithHelp(command, rest) : []
    return refuse(message, { io, args: rest, name: called, command, words })
  }
}

/** Most words behind a command that have a help of their own: `wayleave starknet subscribe newHeads`. */
const mostWords = 2

interface Refusal {
  readonly io: CommandIo
  readonly args: readonly string[]
  /** The command; undefined if there is none. */
  readonly name?: string
  readonly command?: Command
  /** The words behind the command whose help tells more. */
  readonly words?: readonly string[]
}

/** Reports wrong use, for `--json` as a line of JSON. Returns the exit code. */
function refuse(given: string, { io, args, name, command, words = [] }: Refusal): number {
  const message = withoutUrls(given, args)
  if (asksFor(args, '--json')) {
    const json = JSON.stringify({ error: { code: 'usage', message } })
    const print = command?.writesContent?.(args) === true ? io.stderr : io.stdout
    print(`${json}\n`)
  } else {
    const place = name === undefined ? 'wayleave' : `wayleave ${name}`
    const more = name === undefined ? '' : `${[place, ...words].join(' ')} --help tells more.\n`
    io.stderr(visible(`${place}: ${message}\n${more}`))
  }
  return 2
}

/** Escapes JSON for a terminal, where a peer's text must not steer it; it stays the same JSON. */
function withVisibleJson(io: CommandIo): CommandIo {
  return { ...io, stdout: (text) => io.stdout(visible(text)) }
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

function helpOf({ help }: Command, args: readonly string[]): string {
  return typeof help === 'string' ? help : help(args)
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

/** Looks for a flag before `--`: a file behind it may be called `-h`. */
function asksFor(args: readonly string[], flag: string): boolean {
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return flags.includes(flag)
}

/** Tells whether an error means wrong use: a UsageError, or a SchemaError of a param or slot. Its class would have to be loaded. */
function isUsage(thrown: unknown): thrown is Error {
  return thrown instanceof UsageError || (thrown instanceof Error && thrown.name === 'SchemaError')
}
