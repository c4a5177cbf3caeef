import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

export const usage = `pnpm --filter @wayleave/conformance replicas [options]

  --rounds N      rounds: in each, three replicas are killed and started in turn (3)
  --nodes KIND    geth, stand-in, or auto: geth where it is there or can be built (auto)
  --geth FOLDER   the folder where geth is built once and kept (${join('<temporary folder>', 'wayleave-geth')})
  --ponder        also Ponder, by npm in ${join('<temporary folder>', 'wayleave-ponder')}: some 200 MB
  --json          one JSON object, for programs
`

export interface CommandLine {
  readonly rounds: number
  readonly nodes: 'geth' | 'stand-in' | 'auto'
  readonly gethFolder: string
  readonly ponder: boolean
  readonly json: boolean
  readonly help: boolean
}

/** Thrown for a command line that cannot be used, with a sentence for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { rounds: text, nodes: kind, geth, ponder, json, help } = parse(args)
  const rounds = Number(text)
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new UsageError(`--rounds takes a whole number of at least 1, not ${text}`)
  }
  const nodes = (['geth', 'stand-in', 'auto'] as const).find((each) => each === kind)
  if (nodes === undefined) throw new UsageError(`--nodes takes geth, stand-in, auto, not ${kind}`)
  return { rounds, nodes, gethFolder: geth, ponder, json, help }
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
        ponder: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}
