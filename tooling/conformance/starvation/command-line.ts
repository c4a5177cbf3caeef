import { parseArgs } from 'node:util'
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

export interface CommandLine {
  readonly families: readonly Family[]
  readonly seconds: number
  readonly idleSeconds: number
  readonly repeats: number
  readonly limits: Readonly<Record<string, number>> | undefined
  readonly logFile: string | undefined
  readonly alone: boolean
  readonly rounds: number
  readonly json: boolean
  readonly list: boolean
  readonly help: boolean
}

/** Thrown for a command line that cannot be used, with a sentence for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses the command line. @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const values = parse(args)
  const { only = [], limits, alone, json, list, help } = values
  return {
    families: only.length === 0 ? families : only.map(familyOf),
    seconds: countOf('seconds', values.seconds, 30),
    idleSeconds: countOf('idle-seconds', values['idle-seconds'], 6),
    repeats: countOf('repeats', values.repeats, 1, 0),
    limits: limits === undefined ? undefined : (JSON.parse(limits) as Record<string, number>),
    logFile: values.log,
    alone,
    rounds: countOf('rounds', values.rounds, 8),
    json,
    list,
    help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args[0] === '--' ? args.slice(1) : [...args],
      options: {
        only: { type: 'string', multiple: true },
        seconds: { type: 'string' },
        'idle-seconds': { type: 'string' },
        repeats: { type: 'string' },
        limits: { type: 'string' },
        log: { type: 'string' },
        alone: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function familyOf(text: string): Family {
  const family = families.find(({ number, name }) => String(number) === text || name === text)
  if (family === undefined) throw new UsageError(`--only takes a number or name that --list prints, not ${text}`)
  return family
}

function countOf(name: string, text: string | undefined, byDefault: number, least = 1): number {
  const value = text === undefined ? byDefault : Number(text)
  if (!(value >= least)) throw new UsageError(`--${name} takes a number of at least ${least}, not ${text}`)
  return value
}
