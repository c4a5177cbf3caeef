import { parseArgs } from 'node:util'
import type { VerificationLevel } from '@wayleave/evm-verify'

/** The words of a command line. */
export interface Arguments {
  readonly help: boolean
  readonly json: boolean
  /** Runs `seeds` seeds from `from` on. */
  readonly seeds: number
  readonly from: number
  /** Processes side by side. */
  readonly workers: number
  /** Runs this one alone, and tells its timeline. */
  readonly seed: number | undefined
  /** A plan file, in place of a seed. */
  readonly plan: string | undefined
  readonly shrink: boolean
  /** Longest time to make a plan smaller, in seconds. */
  readonly shrinkSeconds: number
  /** One seed in so many runs twice. */
  readonly checkHash: number
  /** Runs plans of streams, until so many upstreams were lost. */
  readonly streams: boolean
  /** Runs plans of reorganisations under a cache. */
  readonly reorgs: boolean
  /** Whether every plan has heights without a block. */
  readonly holes: boolean
  readonly losses: number
  /** Subscribers of each of those. */
  readonly subscribers: number
  /** Pollers of each of those. */
  readonly pollers: number
  /** Whether the parts of evm-events serve them alone. */
  readonly bare: boolean
  /** The verification of upstreams in plans of streams; above `off`, one of them lies. */
  readonly verify: VerificationLevel
  /** A seeded bug, or `all`. */
  readonly mutation: string | undefined
}

/** A command line that means nothing; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const usage = `Usage: pnpm fault-lab [options]

Runs the gateway's core over simulated chains and nodes that fail, on a virtual clock.

  --seeds N         run N seeds (default 100), on all cores
  --from S          the first of them (default 1)
  --workers N       processes side by side (default: one a core)
  --check-hash N    run one seed in N twice, and compare its traces (default 50; 0: none)
  --seed S          run one seed, and print its timeline if it fails
  --plan FILE       run the plan in a file, as --shrink writes it
  --shrink          make a plan that fails smaller: fewer faults, calls and upstreams; of many seeds, the first one that fails is
  --shrink-seconds N   for so long at most (default 60; 0: not at all)
  --mutation NAME   find a seeded bug of mutations/, within --seeds seeds (default 2000); all: each of them
  --reorgs          short runs with many reorganisations instead, and questions that the cache knows
  --holes           heights without a block in each run, in place of one run in five
  --streams         streams under forced losses of upstreams instead, with reorganisations to a depth of 64
  --losses N        upstreams that are lost in all (default 100)
  --subscribers N   callers of each run with a subscription (default 100)
  --pollers N       callers of each run who poll a filter (default 6)
  --bare            they are served by the parts of evm-events alone, over the gateway's pool
  --verify LEVEL    upstreams are verified, consistent or proven, and one of them lies (default off)
  --live            real nodes under stock clients instead; --live --help tells its options
  --json            print results as JSON
  --help            print this

Exit code: 0 if all is well, 1 if an invariant is broken or a seeded bug is not found, 2 for a command line that means nothing.
`

/** @throws UsageError */
export function parseArguments(words: readonly string[]): Arguments {
  const values = read(words)
  const { seed, plan, mutation } = values
  const chosen = [seed, plan, mutation].filter((value) => value !== undefined).length
  if (chosen > 1) throw new UsageError('give one of --seed, --plan and --mutation')
  if (values.reorgs === true && values.streams === true) throw new UsageError('give one of --reorgs and --streams')
  return {
    help: values.help === true,
    json: values.json === true,
    seeds: whole('--seeds', values.seeds, mutation === undefined ? 100 : 2_000, 1),
    from: whole('--from', values.from, 1, 0),
    workers: whole('--workers', values.workers, 0, 0),
    seed: seed === undefined ? undefined : whole('--seed', seed, 0, 0),
    plan,
    shrink: values.shrink === true,
    shrinkSeconds: whole('--shrink-seconds', values['shrink-seconds'], 60, 0),
    checkHash: whole('--check-hash', values['check-hash'], 50, 0),
    streams: values.streams === true,
    reorgs: values.reorgs === true,
    holes: values.holes === true,
    losses: whole('--losses', values.losses, 100, 1),
    subscribers: whole('--subscribers', values.subscribers, 100, 1),
    pollers: whole('--pollers', values.pollers, 6, 0),
    bare: values.bare === true,
    verify: levelOf(values.verify),
    mutation,
  }
}

function read(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        help: { type: 'boolean' },
        json: { type: 'boolean' },
        seeds: { type: 'string' },
        from: { type: 'string' },
        workers: { type: 'string' },
        seed: { type: 'string' },
        plan: { type: 'string' },
        shrink: { type: 'boolean' },
        'shrink-seconds': { type: 'string' },
        'check-hash': { type: 'string' },
        mutation: { type: 'string' },
        streams: { type: 'boolean' },
        reorgs: { type: 'boolean' },
        holes: { type: 'boolean' },
        losses: { type: 'string' },
        subscribers: { type: 'string' },
        pollers: { type: 'string' },
        bare: { type: 'boolean' },
        verify: { type: 'string' },
      },
    }).values
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

function levelOf(text: string = 'off'): VerificationLevel {
  if (text === 'off' || text === 'consistent' || text === 'proven') return text
  throw new UsageError(`--verify takes off, consistent or proven, but got ${JSON.stringify(text)}`)
}

function whole(name: string, text: string | undefined, usual: number, least: number): number {
  if (text === undefined) return usual
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value
  throw new UsageError(`${name} takes a whole number from ${least} up, but got ${JSON.stringify(text)}`)
}
