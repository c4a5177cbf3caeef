import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choiceOf, flag, numberOf, readOptions, text, wholeOf } from '@wayleave/bench/program'

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

export type CommandLine = ReturnType<typeof parseCommandLine>

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]) {
  const { 'block-ms': blockMs, ...values } = readOptions(args, {
    only: { type: 'string', multiple: true, default: [...parts] },
    minutes: text('1'),
    every: text('5'),
    nodes: text('all'),
    callers: text('5000'),
    blocks: text('30'),
    missed: text('1000'),
    'block-ms': text('1000'),
    verify: text('off'),
    geth: text(join(tmpdir(), 'wayleave-geth')),
    python: text('python3'),
    json: flag,
  })
  return {
    ...values,
    only: values.only.map((part) => choiceOf('only', part, parts)),
    minutes: numberOf('minutes', values.minutes, 0.1),
    every: numberOf('every', values.every, 0.5),
    nodes: choiceOf('nodes', values.nodes, ['simulated', 'geth', 'all']),
    callers: wholeOf('callers', values.callers, 10),
    blocks: wholeOf('blocks', values.blocks, 1),
    missed: wholeOf('missed', values.missed, 1),
    blockMs: wholeOf('block-ms', blockMs, 200),
    verify: choiceOf('verify', values.verify, ['off', 'consistent', 'proven']),
  }
}
