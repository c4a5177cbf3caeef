import { parseArgs, type ParseArgsConfig } from 'node:util'

/* The command lines of benches and rigs: `--help`, options, refusals, the exit code. */

/** Thrown for a command line that cannot be used, with a sentence for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const out = (line: string): void => void process.stdout.write(`${line}\n`)
export const report = (line: string): void => void process.stderr.write(`${line}\n`)

type Options = NonNullable<ParseArgsConfig['options']>
type Values<T extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: T }>>['values']

/** An option that takes text, such as a number. `byDefault`: its value where it is left out. */
export function text<T extends string>(byDefault: T): { readonly type: 'string'; readonly default: T } {
  return { type: 'string', default: byDefault }
}

/** An option without a value. */
export const flag = { type: 'boolean', default: false } as const

/** Reads the options of a command line. @throws UsageError */
export function readOptions<const T extends Options>(args: readonly string[], options: T): Values<T> {
  try {
    // pnpm passes the `--` on that stands before options.
    return parseArgs({ args: args[0] === '--' ? args.slice(1) : [...args], options }).values
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

/** Reads a number. @throws UsageError */
export function numberOf(name: string, value: string, least: number, most: number = Infinity): number {
  const number = Number(value)
  if (value.trim() !== '' && number >= least && number <= most) return number
  throw new UsageError(`--${name} takes a number ${boundsOf(least, most)}, not ${value}`)
}

/** Reads a whole number. @throws UsageError */
export function wholeOf(name: string, value: string, least: number, most: number = Infinity): number {
  const number = Number(value)
  if (value.trim() !== '' && Number.isSafeInteger(number) && number >= least && number <= most) return number
  throw new UsageError(`--${name} takes a whole number ${boundsOf(least, most)}, not ${value}`)
}

function boundsOf(least: number, most: number): string {
  return most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
}

/** Reads one of some names. @throws UsageError */
export function choiceOf<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === value)
  if (choice === undefined) throw new UsageError(`--${name} takes ${choices.join(', ')}, not ${value}`)
  return choice
}

/** Runs a program, which gives its exit code. `--help` prints `usage`; a command line that cannot be used ends it with 2. */
export async function runProgram(usage: string, main: (args: readonly string[]) => Promise<number>): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return out(usage)
  try {
    process.exitCode = await main(args)
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown
    report(`${thrown.message}\n\n${usage}`)
    process.exitCode = 2
  }
}

/** A signal that aborts when this process is asked to end. */
export function endingSignal(): AbortSignal {
  const ending = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => ending.abort(new Error(`ended by ${name}`)))
  }
  return ending.signal
}
