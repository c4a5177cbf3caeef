import { createIds } from './load/load.ts'
import { type Measurement, quietPercent } from './measurement.ts'
import { createScenarios, type RunnableScenario, type ScenarioOptions } from './scenarios.ts'
import { rotate } from './statistics.ts'
import type { Subject, SubjectKind, Suite } from './subjects/subject.ts'
import { startUpstream } from './subjects/upstream.ts'

/** The settings of a run of rounds. */
export interface BenchOptions extends ScenarioOptions {
  readonly subjects: readonly SubjectKind[]
  readonly suites: readonly Suite[]
  readonly rounds: number
  /** How many times a round of a scenario is measured again if other processes disturbed it. */
  readonly repeats: number
  /** Called with a line about each step. */
  readonly progress: (line: string) => void
}

/** The result of the rounds. */
export interface Rounds {
  /** One for each subject, scenario and round. */
  readonly measurements: readonly Measurement[]
  /** Discarded measurements: other processes disturbed them, and they were repeated. */
  readonly discarded: readonly Measurement[]
}

/** The time between two blocks, in ms: of a suite, or of all others. */
const blockMs: Readonly<Partial<Record<Suite, number>> & { others: number }> = {
  subscribers: 1_000,
  mix: 2_000,
  others: 12_000,
}

/** How much longer than a measurement a subject serves before the rounds, on the whole: code on Node keeps getting faster for about ten seconds. */
const warmUpFor = 8

/**
 * Measures all subjects in interleaved rounds: within a round each scenario runs subject after subject, and the
 * order turns from round to round. @throws BenchError if a process breaks or an answer is wrong.
 */
export async function runBench(options: BenchOptions): Promise<Rounds> {
  const nextId = createIds()
  const suites: Rounds[] = []
  for (const suite of options.suites) suites.push(await runSuite(suite, options, nextId))
  return {
    measurements: suites.flatMap((rounds) => rounds.measurements),
    discarded: suites.flatMap((rounds) => rounds.discarded),
  }
}

/** Each suite has its own processes, so that its memory peak does not hold another suite's garbage. */
async function runSuite(suite: Suite, options: BenchOptions, nextId: () => number): Promise<Rounds> {
  const { clock, seconds, rounds, progress } = options
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream(clock, blockMs[suite] ?? blockMs.others))
  const subjects: Subject[] = []
  const caches = new Map(options.subjects.map((kind) => [kind.name, kind.caches === true]))
  for (const kind of options.subjects.filter(({ suites }) => suites?.includes(suite) ?? true)) {
    progress(`${suite}: starting ${kind.name}`)
    subjects.push(stack.use(await kind.start({ upstreamPort: upstream.port, suite, clock })))
  }
  const scenarios = createScenarios(suite, options, { upstream, nextId, caches })
  for (const subject of subjects) {
    progress(`${suite}: warming up ${subject.name}`)
    for (const { warmUp } of scenarios) await warmUp(subject, (1000 * seconds * warmUpFor) / scenarios.length)
  }
  const measurements: Measurement[] = []
  const discarded: Measurement[] = []
  for (let round = 0; round < rounds; round++) {
    for (const scenario of scenarios) {
      const tries = await measureUntilQuiet(scenario, round, rotate(subjects, round), options)
      const [best, ...others] = tries.toSorted((a, b) => disturbance(a) - disturbance(b))
      measurements.push(...best!)
      discarded.push(...others.flat())
    }
  }
  return { measurements, discarded }
}

/** Measures all subjects of a round again while other processes took too much from any. The figures themselves never decide. */
async function measureUntilQuiet(
  { scenario, measure }: RunnableScenario,
  round: number,
  subjects: readonly Subject[],
  { seconds, rounds, repeats, progress }: BenchOptions,
): Promise<readonly (readonly Measurement[])[]> {
  const tries: Measurement[][] = []
  do {
    const measured: Measurement[] = []
    for (const subject of subjects) {
      const values = await measure(subject, 1000 * seconds)
      measured.push({ subject: subject.name, scenario, round, values })
      const shown = Object.entries(values).map(([metric, value]) => `${metric} ${value.toPrecision(4)}`)
      progress(`round ${round + 1}/${rounds} ${scenario} ${subject.name}: ${shown.join(', ')}`)
    }
    tries.push(measured)
  } while (tries.length <= repeats && disturbance(tries.at(-1)!) > quietPercent)
  return tries
}

function disturbance(measured: readonly Measurement[]): number {
  return Math.max(...measured.map((m) => m.values.foreignPercent ?? 0))
}
