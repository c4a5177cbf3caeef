import { flag, numberOf, readOptions, text, UsageError } from '@wayleave/bench/program'
import { families } from './families/families.ts'
import type { Family } from './family.ts'

export const usage = `pnpm --filter @wayleave/conformance starvation [options]

  --only FAMILY     by number or name; may stand more than once (all)
  --seconds N       how long each attack runs (30)
  --idle-seconds N  how long the good caller is measured before (6)
  --repeats N       how often a family that breaks a bar on a busy machine is run again (1)
  --limits JSON     limits of the gateway, such as '{"maxInFlight":100}'
  --log FILE        appends the gateway's stderr to it (not of the family that leaves it unread)
  --alone           measures one project alone, with default limits and with limits that cannot bind
  --rounds N        with --alone: rounds of each (8)
  --json            a JSON object a line, for programs
  --list            prints the families
`

export type CommandLine = ReturnType<typeof parseCommandLine>

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]) {
  const { only, limits, log, ...values } = readOptions(args, {
    only: { type: 'string', multiple: true },
    seconds: text('30'),
    'idle-seconds': text('6'),
    repeats: text('1'),
    limits: { type: 'string' },
    log: { type: 'string' },
    alone: flag,
    rounds: text('8'),
    json: flag,
    list: flag,
  })
  return {
    ...values,
    families: only?.map(familyOf) ?? families,
    seconds: numberOf('seconds', values.seconds, 1),
    idleSeconds: numberOf('idle-seconds', values['idle-seconds'], 1),
    repeats: numberOf('repeats', values.repeats, 0),
    limits: limits === undefined ? undefined : (JSON.parse(limits) as Readonly<Record<string, number>>),
    logFile: log,
    rounds: numberOf('rounds', values.rounds, 1),
  }
}

function familyOf(name: string): Family {
  const family = families.find((each) => String(each.number) === name || each.name === name)
  if (family === undefined) throw new UsageError(`--only takes a number or name that --list prints, not ${name}`)
  return family
}
