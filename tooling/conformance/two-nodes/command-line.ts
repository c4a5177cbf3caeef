import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gethVersion } from './nodes/geth-programs.ts'

export const usage = `pnpm --filter @wayleave/conformance two-nodes [options]

  --rounds N      rounds: in each, a node is killed and started, and the other one paused and resumed (3)
  --nodes KIND    geth, stand-in, or auto: geth where it is there or can be built (auto)
  --geth FOLDER   the folder where geth ${gethVersion} is built once and kept (${join('<temporary folder>', 'wayleave-geth')})
  --python FILE   a Python that has web3.py (python3)
  --ponder        also Ponder, by npm in ${join('<temporary folder>', 'wayleave-ponder')}: some 200 MB
  --block-ms N    time between blocks (3000; 1000 for stand-ins)
  --verify LEVEL  off, consistent or proven (off)
  --only CLIENT   by name; may stand more than once (all)
  --notes N       most faults that are printed one by one (40)
  --json          one JSON object, for programs
`

export interface CommandLine {
  readonly rounds: number
  readonly nodes: 'geth' | 'stand-in' | 'auto'
  readonly gethFolder: string
  readonly python: string
  readonly ponder: boolean
  readonly blockMs: number | undefined
  readonly verify: string
  readonly only: readonly string[]
  readonly notes: number
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
  const { nodes, geth, python, ponder, verify, only = [], json, help } = values
  return {
    rounds: countOf('rounds', values.rounds, 1)!,
    nodes: choiceOf('nodes', nodes, ['geth', 'stand-in', 'auto'] as const),
    gethFolder: geth,
    python,
    ponder,
    blockMs: countOf('block-ms', values['block-ms'], 200),
    verify: choiceOf('verify', verify, ['off', 'consistent', 'proven'] as const),
    only,
    notes: countOf('notes', values.notes, 0)!,
    json,
    help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args[0] === '--' ? args.slice(1) : [...args],
      options: {
        rounds: { type: 'string', default: '3' },
        nodes: { type: 'string', default: 'auto' },
        geth: { type: 'string', default: join(tmpdir(), 'wayleave-geth') },
        python: { type: 'string', default: 'python3' },
        ponder: { type: 'boolean', default: false },
        'block-ms': { type: 'string' },
        verify: { type: 'string', default: 'off' },
        only: { type: 'string', multiple: true },
        notes: { type: 'string', default: '40' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function countOf(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < least) {
    throw new UsageError(`--${name} takes a whole number of at least ${least}, not ${text}`)
  }
  return value
}

function choiceOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice === undefined) throw new UsageError(`--${name} takes ${choices.join(', ')}, not ${text}`)
  return choice
}
