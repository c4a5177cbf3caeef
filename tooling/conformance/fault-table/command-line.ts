import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import { usuallyAtOnce } from './run-table.ts'

export const usage = `pnpm --filter @wayleave/conformance fault-table [options]

  --only N        a fault by number; may stand more than once (all)
  --python FILE   a Python that has web3.py (python3)
  --at-once N     faults that are run beside each other (${usuallyAtOnce})
  --list          prints the faults, and why their outcomes are right
  --json          one JSON object, for programs
`

export interface CommandLine {
  /** Numbers of faults, from 1. */
  readonly only: readonly number[]
  readonly python: string
  readonly atOnce: number
  readonly list: boolean
  readonly json: boolean
  readonly help: boolean
}

/** Thrown for a command line that cannot be used, with a sentence for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { only, 'at-once': atOnce, ...rest } = parse(args)
  const numbers = (only ?? []).map((text) => wholeNumber('only', text, faults.length))
  const all = faults.map((_fault, i) => i + 1)
  return { ...rest, only: numbers.length === 0 ? all : numbers, atOnce: wholeNumber('at-once', atOnce, faults.length) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args[0] === '--' ? args.slice(1) : [...args],
      options: {
        only: { type: 'string', multiple: true },
        python: { type: 'string', default: 'python3' },
        'at-once': { type: 'string', default: `${usuallyAtOnce}` },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value
  throw new UsageError(`--${name} takes a number from 1 to ${most}, not ${text}`)
}
