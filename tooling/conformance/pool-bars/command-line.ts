import { parseArgs } from 'node:util'
import { erpcVersion } from './gateways/erpc.ts'
import { scenarios } from './scenarios/scenarios.ts'

export const usage = `pnpm --filter @wayleave/conformance pool-bars [options]

  --erpc FILE   the program of eRPC ${erpcVersion}, which is measured beside
  --only NAME   a scenario: ${scenarios.map(({ name }) => name).join(', ')}; may stand more than once (all)
  --seconds N   length of the load that is measured, at least 5 (60)
  --full        100,000 reads from flaky nodes instead of 10,000: 15 minutes more for each gateway
  --list        prints the scenarios
  --json        one JSON object a line, for programs
`

export interface CommandLine {
  readonly erpc: string | undefined
  readonly only: readonly string[]
  readonly seconds: number
  /** Reads from flaky nodes. */
  readonly calls: number
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
  const { erpc, only = [], seconds: text, full, ...rest } = parse(args)
  const names = scenarios.map(({ name }) => name)
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`--only takes ${names.join(', ')}, not ${unknown}`)
  const seconds = Number(text)
  if (!Number.isSafeInteger(seconds) || seconds < 5) {
    throw new UsageError(`--seconds takes a whole number of at least 5, not ${text}`)
  }
  return { ...rest, erpc, only: only.length === 0 ? names : only, seconds, calls: full ? 100_000 : 10_000 }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args[0] === '--' ? args.slice(1) : [...args],
      options: {
        erpc: { type: 'string' },
        only: { type: 'string', multiple: true },
        seconds: { type: 'string', default: '60' },
        full: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}
