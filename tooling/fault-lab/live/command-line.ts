import { choiceOf, flag, numberOf, readOptions, text, wholeOf } from '@wayleave/bench/program'

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

export type CommandLine = ReturnType<typeof parseCommandLine>

/** Parses the command line. `drawSeed` is asked where it names none. @throws UsageError */
export function parseCommandLine(args: readonly string[], drawSeed: () => number) {
  // `--live` chose this program.
  const values = readOptions(
    args.filter((arg) => arg !== '--live'),
    {
      minutes: text('5'),
      seed: { type: 'string' },
      every: { type: 'string' },
      nodes: text('anvil'),
      verify: text('off'),
      broadcast: text('1'),
      events: text('200'),
      json: flag,
    },
  )
  const nodes = choiceOf('nodes', values.nodes, ['anvil', 'geth'])
  const every = numberOf('every', values.every ?? (nodes === 'geth' ? '20' : '8'), 2, 3_600)
  return {
    lengthMs: Math.round(numberOf('minutes', values.minutes, 0.4, 120) * 60_000),
    seed: values.seed === undefined ? drawSeed() : wholeOf('seed', values.seed, 0, 2 ** 32 - 1),
    everyMs: Math.round(every * 1_000),
    nodes,
    verify: choiceOf('verify', values.verify, ['off', 'consistent', 'proven']),
    broadcast: wholeOf('broadcast', values.broadcast, 1, 3),
    events: wholeOf('events', values.events, 0, 100_000),
    json: values.json,
  }
}
