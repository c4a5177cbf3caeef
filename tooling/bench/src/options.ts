import { parseArgs } from 'node:util'
import { BenchError } from './error.ts'

/** The parsed command line. */
export interface CommandLine {
  readonly rounds: number
  readonly seconds: number
  readonly rate: number
  readonly connections: number
  readonly repeats: number
  /** The only part to run; undefined: all of them. */
  readonly only: 'small' | 'large' | 'stages' | undefined
  /** The only subjects to run, by name; undefined: all of them. */
  readonly subjects: readonly string[] | undefined
  readonly json: boolean
  readonly write: boolean
  /** Only tries the harness out: its figures are no measurement. */
  readonly quick: boolean
  readonly help: boolean
}

export const usage = `node tooling/bench/src/main.ts [options]

  --rounds N          interleaved rounds (8; fewer are no measurement)
  --seconds N         length of each measurement (1.5)
  --rate N            calls a second where latency is measured (1000)
  --connections N     keep-alive connections of small calls (32)
  --repeats N         how often a disturbed round is repeated (3)
  --only PART         small, large or stages
  --subjects A,B      some of nginx, nginx-tuned, bare-proxy, eRPC (the program that ERPC names), gateway
  --json              prints JSON instead of tables
  --no-write          writes no file into docs/
  --quick             2 rounds of 0.5 s: tries the harness, measures nothing
`

/** With fewer rounds, ratios are noise. */
export const fewestRounds = 8

/** Parses the command line. @throws BenchError `usage` that says which option was wrong. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const values = parse(args)
  const quick = values.quick
  const rounds = number('rounds', values.rounds, quick ? 2 : fewestRounds)
  const { only } = values
  if (only !== undefined && only !== 'small' && only !== 'large' && only !== 'stages') {
    throw new BenchError('usage', `--only takes small, large or stages, not ${only}`)
  }
  const subjects = values.subjects?.split(',')
  const whole = !quick && only === undefined && subjects === undefined && rounds >= fewestRounds
  return {
    rounds,
    seconds: number('seconds', values.seconds, quick ? 0.5 : 1.5),
    rate: number('rate', values.rate, 1000),
    connections: number('connections', values.connections, 32),
    repeats: number('repeats', values.repeats, quick ? 0 : 3, 0),
    only,
    subjects,
    json: values.json,
    // A partial run must not replace a day's whole one.
    write: whole && !values['no-write'],
    quick,
    help: values.help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        rate: { type: 'string' },
        connections: { type: 'string' },
        repeats: { type: 'string' },
        only: { type: 'string' },
        subjects: { type: 'string' },
        json: { type: 'boolean', default: false },
        'no-write': { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new BenchError('usage', `${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function number(
  name: string,
  text: string | undefined,
  byDefault: number,
  least = name === 'seconds' ? 0.05 : 1,
): number {
  if (text === undefined) return byDefault
  const value = Number(text)
  if (!(value >= least) || (name !== 'seconds' && !Number.isInteger(value))) {
    throw new BenchError('usage', `--${name} takes a number of at least ${least}, not ${text}`)
  }
  return value
}
