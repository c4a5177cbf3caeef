import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { Plan } from './plan.ts'
import { type Arguments, parseArguments, usage, UsageError } from './run/args.ts'
import { createFarm, type Farm } from './run/farm.ts'
import { findMutation, type MutationResult } from './run/find-mutation.ts'
import { type Mutation, readMutations } from './run/mutation.ts'
import { planOf } from './run/plan-of.ts'
import { reorgsPlanOf } from './run/reorgs-plan.ts'
import type { Report } from './run/report.ts'
import { runSeeds } from './run/run-seeds.ts'
import { printStreams, runStreams } from './run/run-streams.ts'
import { streamsPlanOf } from './run/streams-plan.ts'
import { reportFailure, type ReportedFailure } from './run/report-failure.ts'
import { printTimeline, printViolations } from './run/timeline.ts'

const out = (text: string): void => void process.stdout.write(text)
/** The reader of a pipe may leave. */
process.stdout.on('error', () => process.exit(1))
/** A pipe gets a line so often, in ms. */
const lineEveryMs = 30_000
let lineAt = performance.now() + lineEveryMs
const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}\u001B[K`)
  else if (performance.now() >= lineAt) {
    lineAt = performance.now() + lineEveryMs
    process.stderr.write(`${text}\n`)
  }
}
const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\n')
}
const hasColour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined

async function main(words: readonly string[]): Promise<number> {
  const options = parseArguments(words)
  if (options.help) {
    out(usage)
    return 0
  }
  if (options.mutation !== undefined) return findMutations(options, chosen(options.mutation))
  if (options.plan !== undefined)
    return runOne(await readPlan(options.plan), `pnpm fault-lab --plan ${options.plan}`, options)
  if (options.seed !== undefined) {
    const { seed } = options
    if (!options.streams) return runOne(drawOf(options)(seed), replayOfSeed(seed, options), options)
    return runOne(streamsPlanOf(seed, shapeOf(options)), replayOf(seed, options), options)
  }
  if (options.streams) return runLosses(options)
  return runMany(options)
}

function drawOf({ reorgs, holes }: Arguments): (seed: number) => Plan {
  const draw = reorgs ? reorgsPlanOf : planOf
  return holes ? (seed) => ({ ...draw(seed), holes: 1 + (seed % 4) }) : draw
}
const replayOfSeed = (seed: number, { reorgs, holes }: Arguments): string =>
  `pnpm fault-lab ${reorgs ? '--reorgs ' : ''}${holes ? '--holes ' : ''}--seed ${seed}`
const workersOf = ({ workers }: Arguments): number => (workers === 0 ? availableParallelism() : workers)

async function runMany(options: Arguments): Promise<number> {
  using farm = createFarm(workersOf(options))
  const began = performance.now()
  const failures = firstFailure((seed) => replayOfSeed(seed, options), options)
  const summary = await runSeeds(farm, {
    ...options,
    workers: workersOf(options),
    draw: drawOf(options),
    onReport(report, done) {
      progress(`${done} of ${options.seeds} seeds`)
      failures.hear(report)
    },
  })
  endProgress()
  const seconds = (performance.now() - began) / 1_000
  await failures.say(farm, drawOf(options))
  if (options.json) out(`${JSON.stringify({ ...summary, seconds })}\n`)
  else {
    const { seeds, failed, stats, repeated } = summary
    out(
      `${seeds} seeds in ${seconds.toFixed(1)} s: ${failed.length} break an invariant; ${stats.calls} calls, ${stats.hits} answered by the cache, ${stats.exchanges} questions ` +
        `to upstreams, ${stats.pushes} pushes, ${stats.judged} answers compared with the chain; ${repeated} seeds ran twice alike\n`,
    )
  }
  return summary.failed.length > 0 ? 1 : 0
}

/** Tells each run that breaks an invariant as it comes, and in the end more of the first seed among them. */
function firstFailure(replay: (seed: number) => string, options: Arguments) {
  let first: Report | undefined
  return {
    hear(report: Report): void {
      if (report.violations.length === 0 || options.json) return
      if (process.stderr.isTTY) endProgress()
      out(printViolations(report, replay(report.seed), hasColour))
      if (first === undefined || report.seed < first.seed) first = report
    },
    /** Prints the timeline of the first one, makes its plan smaller, and prints that, too. */
    async say(farm: Farm, draw: (seed: number) => Plan): Promise<void> {
      if (first === undefined) return
      out(`\nseed ${first.seed}, as it was drawn:\n${printTimeline(first, { colour: hasColour })}`)
      out(printViolations(first, replay(first.seed), hasColour))
      if (options.shrinkSeconds > 0) out((await reportedFailure(farm, draw(first.seed), first, options)).text)
    },
  }
}

async function reportedFailure(farm: Farm, plan: Plan, report: Report, options: Arguments): Promise<ReportedFailure> {
  process.stderr.write(`seed ${plan.seed} is made smaller, for ${options.shrinkSeconds} s at most\n`)
  const reported = await reportFailure(farm, plan, report, {
    folder: '.',
    forMs: options.shrinkSeconds * 1_000,
    now: () => performance.now(),
    colour: hasColour,
    onProgress: progress,
  })
  endProgress()
  return reported
}

const shapeOf = ({ subscribers, pollers, bare, verify }: Arguments) => ({ subscribers, pollers, isBare: bare, verify })
const replayOf = (seed: number, { subscribers, pollers, bare, verify }: Arguments): string =>
  `pnpm fault-lab --streams --seed ${seed} --subscribers ${subscribers} --pollers ${pollers}` +
  `${bare ? ' --bare' : ''}${verify === 'off' ? '' : ` --verify ${verify}`}`

async function runLosses(options: Arguments): Promise<number> {
  using farm = createFarm(workersOf(options))
  const began = performance.now()
  const failures = firstFailure((seed) => replayOf(seed, options), options)
  const { counts, failed } = await runStreams(farm, {
    ...options,
    workers: workersOf(options),
    shape: shapeOf(options),
    onReport(report, losses) {
      progress(`${losses} of ${options.losses} losses`)
      failures.hear(report)
    },
  })
  endProgress()
  const seconds = (performance.now() - began) / 1_000
  await failures.say(farm, (seed) => streamsPlanOf(seed, shapeOf(options)))
  out(
    options.json ? `${JSON.stringify({ ...counts, failed, seconds })}\n` : printStreams(counts, failed.length, seconds),
  )
  return failed.length > 0 ? 1 : 0
}

async function runOne(plan: Plan, command: string, options: Arguments): Promise<number> {
  using farm = createFarm(1)
  const report = await farm.run(plan)
  if (report.violations.length === 0) {
    out(
      options.json
        ? `${JSON.stringify(report)}\n`
        : `seed ${plan.seed} breaks no invariant; trace ${report.traceHash}\n`,
    )
    return 0
  }
  if (!options.shrink) {
    say(report, command, options)
    return 1
  }
  const reported = await reportedFailure(farm, plan, report, options)
  if (options.json) say(reported.report, reported.command, options)
  else out(reported.text)
  return 1
}

function say(report: Report, command: string, { json }: Arguments): void {
  if (json) out(`${JSON.stringify({ ...report, replay: command })}\n`)
  else out(printTimeline(report, { colour: hasColour }) + printViolations(report, command, hasColour))
}

async function readPlan(file: string): Promise<Plan> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Plan
  } catch (thrown) {
    throw new UsageError(`--plan ${file} holds no plan: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

function chosen(name: string): readonly Mutation[] {
  const all = readMutations()
  const found = name === 'all' ? all : all.filter((each) => each.name === name)
  if (found.length > 0) return found
  throw new UsageError(`there is no seeded bug ${name}; there are: ${all.map((each) => each.name).join(', ')}`)
}

async function findMutations(options: Arguments, mutations: readonly Mutation[]): Promise<number> {
  const results: MutationResult[] = []
  for (const mutation of mutations) {
    using farm = createFarm(workersOf(options), mutation.name)
    const result = await findMutation(farm, mutation, { ...options, workers: workersOf(options) })
    results.push(result)
    if (!options.json) out(printMutation(result, options.seeds))
  }
  const found = results.filter(({ foundAfter }) => foundAfter !== undefined).length
  out(options.json ? `${JSON.stringify(results)}\n` : `${found} of ${results.length} seeded bugs found\n`)
  return found < results.length ? 1 : 0
}

function printMutation({ name, foundAfter, seed, violation }: MutationResult, seeds: number): string {
  if (foundAfter === undefined) return `${name}: not found in ${seeds} seeds\n`
  return `${name}: found after ${foundAfter} seeds, by seed ${seed}: ${violation!.invariant}: ${violation!.text}\n`
}

const words = process.argv.slice(2)
if (words.includes('--live')) await import('../live/main.ts')
else {
  try {
    process.exitCode = await main(words)
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown
    process.stderr.write(`${thrown.message}\n\n${usage}`)
    process.exitCode = 2
  }
}
