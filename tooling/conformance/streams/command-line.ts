import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const parts = ['clients', 'callers', 'filters', 'resume'] as const
export type Part = (typeof parts)[number]

export const usage = `pnpm --filter @wayleave/conformance streams [options]

  --only PART     ${parts.join(', ')}; may stand more than once (all)
  --minutes N     length of clients and of filters (1)
  --every N       seconds between two misfortunes (5)
  --nodes KIND    of the clients: simulated, geth or all: both, where geth is there or can be built (all)
  --callers N     callers of one gateway (5000)
  --blocks N      blocks for which callers are measured (30)
  --missed N      blocks that are made during a restart, for resume (1000)
  --block-ms N    time between blocks of simulated nodes (1000)
  --verify LEVEL  off, consistent or proven (off)
  --geth FOLDER   the folder where geth is built once and kept (${join('<temporary folder>', 'wayleave-geth')})
  --python FILE   a Python that has web3.py (python3)
  --json          one JSON object, for programs
`

export interface CommandLine {
  readonly only: readonly Part[]
  readonly minutes: number
  readonly every: number
  readonly nodes: 'simulated' | 'geth' | 'all'
  readonly callers: number
  readonly blocks: number
  readonly missed: number
  readonly blockMs: number
  readonly verify: string
  readonly geth: string
  readonly python: string
  readonly json: boolean
  readonly help: boolean
}

/** Thrown for a command line that cannot be used, with a sentence for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const values = parse(args)
  return {
    only: values.only.map((part) => choiceOf('only', part, parts)),
    minutes: numberOf('minutes', values.minutes, 0.1),
    every: numberOf('every', values.every, 0.5),
    nodes: choiceOf('nodes', values.nodes, ['simulated', 'geth', 'all'] as const),
    callers: wholeOf('callers', values.callers, 10),
    blocks: wholeOf('blocks', values.blocks, 1),
    missed: wholeOf('missed', values.missed, 1),
    blockMs: wholeOf('block-ms', values['block-ms'], 200),
    verify: choiceOf('verify', values.verify, ['off', 'consistent', 'proven'] as const),
    geth: values.geth,
    python: values.python,
    json: values.json,
    help: values.help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args[0] === '--' ? args.slice(1) : [...args],
      options: {
        only: { type: 'string', multiple: true, default: [...parts] },
        minutes: { type: 'string', default: '1' },
        every: { type: 'string', default: '5' },
        nodes: { type: 'string', default: 'all' },
        callers: { type: 'string', default: '5000' },
        blocks: { type: 'string', default: '30' },
        missed: { type: 'string', default: '1000' },
        'block-ms': { type: 'string', default: '1000' },
        verify: { type: 'string', default: 'off' },
        geth: { type: 'string', default: join(tmpdir(), 'wayleave-geth') },
        python: { type: 'string', default: 'python3' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text)
  if (!Number.isFinite(value) || value < least)
    throw new UsageError(`--${name} takes a number of at least ${least}, not ${text}`)
  return value
}

function wholeOf(name: string, text: string, least: number): number {
  const value = numberOf(name, text, least)
  if (!Number.isSafeInteger(value)) throw new UsageError(`--${name} takes a whole number, not ${text}`)
  return value
}

function choiceOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice === undefined) throw new UsageError(`--${name} takes ${choices.join(', ')}, not ${text}`)
  return choice
}
