import { parseArgs } from 'node:util'
import { BenchError } from './error.ts'
import { suites } from './subjects/subject.ts'

/** The parsed command line. */
export interface CommandLine {
  readonly rounds: number
  readonly seconds: number
  readonly rate: number
  readonly connections: number
  readonly repeats: number
  readonly subscribers: number
  /** How long calls are made before each measurement, in s; undefined: a moment. */
  readonly leadIn: number | undefined
  /** The only parts to run; undefined: all of them. */
  readonly only: readonly Part[] | undefined
  /** The only subjects to run, by name; undefined: all of them. */
  readonly subjects: readonly string[] | undefined
  /** Measures the gateway with so many workers, too. */
  readonly workers: number | undefined
  /** A built checkout, whose gateway is measured beside. */
  readonly before: string | undefined
  readonly json: boolean
  readonly write: boolean
  /** Only tries the harness out: its figures are no measurement. */
  readonly quick: boolean
  readonly help: boolean
}

/** Parts that can be measured alone. */
export const parts = [...suites, 'stages'] as const
export type Part = (typeof parts)[number]

export const usage = `node --conditions=@wayleave/source tooling/bench/src/main.ts [options]

  --rounds N          interleaved rounds (8; fewer are no measurement)
  --seconds N         length of each measurement (1.5)
  --lead-in N         how long calls are made before each measurement, in s (0.2)
  --rate N            calls a second where latency is measured (1000)
  --connections N     keep-alive connections of small calls (32)
  --subscribers N     WebSockets with a subscription to heads each (5000)
  --repeats N         how often a disturbed round is repeated (3)
  --only A,B          some of ${parts.join(', ')}
  --subjects A,B      some of straight, nginx, nginx-tuned, bare-proxy, eRPC (the program that the variable
                      ERPC names), gateway, plain gateway
  --workers N         measures the gateway with N workers, too
  --before FOLDER     measures the gateway of another checkout, too, which was built
  --json              prints JSON instead of tables
  --no-write          does not write docs/results/bench.md
  --quick             2 rounds of 0.5 s: tries the harness, measures nothing
`

/** With fewer rounds, ratios are noise. */
export const fewestRounds = 8

/** Parses the command line. @throws BenchError `usage` that says which option was wrong. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const values = parse(args)
  const quick = values.quick
  const rounds = number('rounds', values.rounds, quick ? 2 : fewestRounds)
  const only = values.only?.split(',').map(partOf)
  const subjects = values.subjects?.split(',')
  const whole = !quick && only === undefined && subjects === undefined && rounds >= fewestRounds
  return {
    rounds,
    seconds: number('seconds', values.seconds, quick ? 0.5 : 1.5),
    leadIn: values['lead-in'] === undefined ? undefined : number('lead-in', values['lead-in'], 0),
    rate: number('rate', values.rate, 1000),
    connections: number('connections', values.connections, 32),
    subscribers: number('subscribers', values.subscribers, quick ? 50 : 5_000),
    repeats: number('repeats', values.repeats, quick ? 0 : 3, 0),
    only,
    subjects,
    workers: values.workers === undefined ? undefined : number('workers', values.workers, 1),
    before: values.before,
    json: values.json,
    // A partial run must not replace a day's whole one.
    write: whole && !values['no-write'],
    quick,
    help: values.help,
  }
}

function partOf(text: string): Part {
  const part = parts.find((each) => each === text)
  if (part === undefined) throw new BenchError('usage', `--only takes some of ${parts.join(', ')}, not ${text}`)
  return part
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args.filter((arg) => arg !== '--'),
      options: {
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        'lead-in': { type: 'string' },
        rate: { type: 'string' },
        connections: { type: 'string' },
        repeats: { type: 'string' },
        subscribers: { type: 'string' },
        only: { type: 'string' },
        subjects: { type: 'string' },
        workers: { type: 'string' },
        before: { type: 'string' },
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

function number(name: string, text: string | undefined, byDefault: number, least = isTime(name) ? 0.05 : 1): number {
  if (text === undefined) return byDefault
  const value = Number(text)
  if (!(value >= least) || (!isTime(name) && !Number.isInteger(value))) {
    throw new BenchError('usage', `--${name} takes a number of at least ${least}, not ${text}`)
  }
  return value
}

/** Whether an option is a time in seconds, which need not be whole. */
function isTime(name: string): boolean {
  return name === 'seconds' || name === 'lead-in'
}
