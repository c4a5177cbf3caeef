import { parseArgs } from 'node:util'

const usage = `pnpm --filter @wayleave/conformance crash-seeds [options]

  --seeds N      seeds on SQLite, each with one or two processes that kill themselves (1000)
  --postgres N   seeds on PostgreSQL, killed from outside (a twentieth of --seeds)
  --from SEED    the first seed (1)
  --at-once N    seeds that run at once (2)
`

export interface CommandLine {
  readonly seeds: number
  readonly postgres: number
  readonly from: number
  readonly atOnce: number
}

/** Thrown for a command line that cannot be used, with a sentence for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const values = parse(args)
  function number(name: keyof typeof values, usual: number, least: number): number {
    const text = values[name]
    const value = text === undefined ? usual : Number(text)
    if (Number.isSafeInteger(value) && value >= least) return value
    throw new UsageError(`--${name} takes a whole number of at least ${least}, not ${text}`)
  }
  const seeds = number('seeds', 1_000, 0)
  return {
    seeds,
    postgres: number('postgres', Math.ceil(seeds / 20), 0),
    from: number('from', 1, 1),
    atOnce: number('at-once', 2, 1),
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args[0] === '--' ? args.slice(1) : [...args],
      options: { seeds: text, postgres: text, from: text, 'at-once': text },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}
