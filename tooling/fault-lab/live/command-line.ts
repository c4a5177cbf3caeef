import { parseArgs } from 'node:util'

export const usage = `pnpm fault-lab --live [options]

  --minutes N     length of the run, also a fraction (5)
  --seed N        the schedule: equal seeds hurt the same nodes in the same way (drawn)
  --every N       seconds between two misfortunes (8; 20 for geth)
  --nodes KIND    anvil or geth (anvil). GETH names a geth that is not on the PATH
  --verify LEVEL  off, consistent or proven (off)
  --broadcast N   nodes that are sent each transaction (1)
  --events N      most events that a failing run prints (200)
  --json          one JSON object, for programs

WEB3PY names a Python that has web3.py, and with it a client more. go-ethereum's ethclient comes with the geth that
"pnpm --filter @wayleave/conformance two-nodes" builds.
`

export interface CommandLine {
  readonly lengthMs: number
  readonly seed: number
  readonly everyMs: number
  readonly nodes: 'anvil' | 'geth'
  readonly verify: string
  readonly broadcast: number
  readonly events: number
  readonly json: boolean
  readonly help: boolean
}

/** Thrown for a command line that cannot be used, with a sentence for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses the command line. `drawSeed` is asked where it names none. @throws UsageError */
export function parseCommandLine(args: readonly string[], drawSeed: () => number): CommandLine {
  const values = parse(args)
  const nodes = choiceOf('nodes', values.nodes, ['anvil', 'geth'] as const)
  const every = numberOf('every', values.every ?? (nodes === 'geth' ? '20' : '8'), 2, 3_600)
  return {
    lengthMs: Math.round(numberOf('minutes', values.minutes, 0.4, 120) * 60_000),
    seed: values.seed === undefined ? drawSeed() : wholeOf('seed', values.seed, 0, 2 ** 32 - 1),
    everyMs: Math.round(every * 1_000),
    nodes,
    verify: choiceOf('verify', values.verify, ['off', 'consistent', 'proven'] as const),
    broadcast: wholeOf('broadcast', values.broadcast, 1, 3),
    events: wholeOf('events', values.events, 0, 100_000),
    json: values.json,
    help: values.help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options; `--live` chose this program.
      args: args.filter((arg, i) => arg !== '--live' && !(arg === '--' && i === 0)),
      options: {
        minutes: { type: 'string', default: '5' },
        seed: { type: 'string' },
        every: { type: 'string' },
        nodes: { type: 'string', default: 'anvil' },
        verify: { type: 'string', default: 'off' },
        broadcast: { type: 'string', default: '1' },
        events: { type: 'string', default: '200' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= least && value <= most)) {
    throw new UsageError(`--${name} takes a number from ${least} to ${most}, not ${text}`)
  }
  return value
}

function wholeOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least || value > most) {
    throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not ${text}`)
  }
  return value
}

function choiceOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice === undefined) throw new UsageError(`--${name} takes ${choices.join(', ')}, not ${text}`)
  return choice
}
