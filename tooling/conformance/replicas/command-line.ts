import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choiceOf, flag, readOptions, text, wholeOf } from '@wayleave/bench/program'

export const usage = `pnpm --filter @wayleave/conformance replicas [options]

  --rounds N      rounds: in each, three replicas are killed and started in turn (3)
  --nodes KIND    geth, stand-in, or auto: geth where it is there or can be built (auto)
  --geth FOLDER   the folder where geth is built once and kept (${join('<temporary folder>', 'wayleave-geth')})
  --ponder        also Ponder, by npm in ${join('<temporary folder>', 'wayleave-ponder')}: some 200 MB
  --json          one JSON object, for programs
`

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]) {
  const values = readOptions(args, {
    rounds: text('3'),
    nodes: text('auto'),
    geth: text(join(tmpdir(), 'wayleave-geth')),
    ponder: flag,
    json: flag,
  })
  return {
    ...values,
    rounds: wholeOf('rounds', values.rounds, 1),
    nodes: choiceOf('nodes', values.nodes, ['geth', 'stand-in', 'auto']),
  }
}
