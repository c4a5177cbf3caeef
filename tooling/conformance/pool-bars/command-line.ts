import { choiceOf, flag, readOptions, text, wholeOf } from '@wayleave/bench/program'
import { erpcVersion } from './gateways/erpc.ts'
import { scenarios } from './scenarios/scenarios.ts'

const names = scenarios.map(({ name }) => name)

export const usage = `pnpm --filter @wayleave/conformance pool-bars [options]

  --erpc FILE   the program of eRPC ${erpcVersion}, which is measured beside
  --only NAME   a scenario: ${names.join(', ')}; may stand more than once (all)
  --seconds N   length of the load that is measured, at least 5 (60)
  --full        100,000 reads from flaky nodes instead of 10,000: 15 minutes more for each gateway
  --list        prints the scenarios
  --json        one JSON object a line, for programs
`

/** Parses the command line; `calls` are reads from flaky nodes. @throws UsageError */
export function parseCommandLine(args: readonly string[]) {
  const { full, ...values } = readOptions(args, {
    erpc: { type: 'string' },
    only: { type: 'string', multiple: true, default: names },
    seconds: text('60'),
    full: flag,
    list: flag,
    json: flag,
  })
  return {
    ...values,
    only: values.only.map((name) => choiceOf('only', name, names)),
    seconds: wholeOf('seconds', values.seconds, 5),
    calls: full ? 100_000 : 10_000,
  }
}
