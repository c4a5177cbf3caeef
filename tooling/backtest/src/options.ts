import { parseArgs } from 'node:util'
import type { BlockOrder } from './market.ts'

/** The parsed command line. */
export interface CommandLine {
  /** The only data sets to run, by name; undefined: all of them. */
  readonly only: readonly string[] | undefined
  /** Runs only 1,000 blocks of each simulated market, to try things out. */
  readonly quick: boolean
  /** Added to the seed of each simulated market: another number makes other markets of the same kinds. */
  readonly seed: number
  /** Replays the blocks in another order; then only the recorded markets, if none are named. */
  readonly order: BlockOrder
  readonly json: boolean
  readonly write: boolean
  readonly help: boolean
}

/** Refuses a wrong command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'usage'
}

export const usage = `pnpm --filter @wayleave/backtest backtest [options]

  --only A,B   some of the data sets, by name
  --quick      1,000 blocks of each simulated market
  --seed N     other simulated markets of the same kinds (0)
  --order O    backwards, or third (every third block): recorded markets, if --only names no others
  --json       prints JSON instead of tables
  --write      writes docs/results/backtest.md and docs/results/backtest.svg
`

const orders: readonly BlockOrder[] = ['forwards', 'backwards', 'third']

/** Parses the command line. @throws UsageError that says which option was wrong. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { only, seed: seedText, order: orderText, ...flags } = parse(args)
  const order = orders.find((each) => each === orderText)
  if (order === undefined) throw new UsageError(`--order takes ${orders.join(', ')}, not ${orderText}\n\n${usage}`)
  const seed = Number(seedText)
  if (!Number.isSafeInteger(seed)) throw new UsageError(`--seed takes a whole number, not ${seedText}\n\n${usage}`)
  if (flags.write && (flags.quick || seed !== 0 || only !== undefined || order !== 'forwards')) {
    throw new UsageError(
      `--write takes no --quick, --seed, --order or --only: another run must not replace a whole one\n\n${usage}`,
    )
  }
  return { ...flags, seed, order, only: only?.split(',').map((name) => name.trim()) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        seed: { type: 'string', default: '0' },
        order: { type: 'string', default: 'forwards' },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}
