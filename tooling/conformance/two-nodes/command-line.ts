import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choiceOf, flag, readOptions, text, wholeOf } from '@wayleave/bench/program'
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

export type CommandLine = ReturnType<typeof parseCommandLine>

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]) {
  const { 'block-ms': blockMs, ...values } = readOptions(args, {
    rounds: text('3'),
    nodes: text('auto'),
    geth: text(join(tmpdir(), 'wayleave-geth')),
    python: text('python3'),
    ponder: flag,
    'block-ms': { type: 'string' },
    verify: text('off'),
    only: { type: 'string', multiple: true, default: [] },
    notes: text('40'),
    json: flag,
  })
  return {
    ...values,
    rounds: wholeOf('rounds', values.rounds, 1),
    nodes: choiceOf('nodes', values.nodes, ['geth', 'stand-in', 'auto']),
    blockMs: blockMs === undefined ? undefined : wholeOf('block-ms', blockMs, 200),
    verify: choiceOf('verify', values.verify, ['off', 'consistent', 'proven']),
    notes: wholeOf('notes', values.notes, 0),
  }
}
