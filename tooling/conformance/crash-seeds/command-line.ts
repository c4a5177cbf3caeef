import { readOptions, text, wholeOf } from '@wayleave/bench/program'

export const usage = `pnpm --filter @wayleave/conformance crash-seeds [options]

  --seeds N      seeds on SQLite, each with one or two processes that kill themselves (1000)
  --postgres N   seeds on PostgreSQL, killed from outside (a twentieth of --seeds)
  --from SEED    the first seed (1)
  --at-once N    seeds that run at once (2)
`

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]) {
  const { 'at-once': atOnce, ...values } = readOptions(args, {
    seeds: text('1000'),
    postgres: { type: 'string' },
    from: text('1'),
    'at-once': text('2'),
  })
  const seeds = wholeOf('seeds', values.seeds, 0)
  return {
    seeds,
    postgres: values.postgres === undefined ? Math.ceil(seeds / 20) : wholeOf('postgres', values.postgres, 0),
    from: wholeOf('from', values.from, 1),
    atOnce: wholeOf('at-once', atOnce, 1),
  }
}
