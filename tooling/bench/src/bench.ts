import { blockCall, type CallKind, createLargeCall, createTracesCall, smallCall } from './calls.ts'
import type { BenchClock } from './defaults.ts'
import { createIds } from './load/load.ts'
import { type MeasureOptions, measureClosedLoop, measureFixedRate } from './measure.ts'
import { type Measurement, quietPercent, type Scenario } from './measurement.ts'
import { rotate } from './statistics.ts'
import type { Subject, SubjectKind, Suite } from './subjects/subject.ts'
import { startUpstream, type Upstream } from './subjects/upstream.ts'

/** The settings of a run of rounds. */
export interface BenchOptions {
  readonly subjects: readonly SubjectKind[]
  readonly suites: readonly Suite[]
  readonly rounds: number
  /** How long each measurement takes, in seconds. */
  readonly seconds: number
  /** Calls a second of the fixed-rate scenario. */
  readonly rate: number
  /** Connections of the small scenarios; the large one has eight. */
  readonly connections: number
  /** How many times a round of a scenario is measured again if other processes disturbed it. */
  readonly repeats: number
  readonly clock: BenchClock
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

const largeConnections = 8

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
  const upstream = stack.use(await startUpstream(clock))
  const subjects: Subject[] = []
  for (const kind of options.subjects.filter(({ suites }) => suites?.includes(suite) ?? true)) {
    progress(`${suite}: starting ${kind.name}`)
    subjects.push(stack.use(await kind.start({ upstreamPort: upstream.port, suite, clock })))
  }
  const scenarios = createScenarios(suite, options, upstream, nextId)
  for (const subject of subjects) {
    progress(`${suite}: warming up ${subject.name}`)
    for (const { measure } of scenarios) await measure(subject, 1000 * Math.min(2, 2 * seconds))
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

interface RunnableScenario {
  readonly scenario: Scenario
  measure(subject: Subject, ms: number): Promise<Measurement['values']>
}

function createScenarios(
  suite: Suite,
  options: BenchOptions,
  upstream: Upstream,
  nextId: () => number,
): readonly RunnableScenario[] {
  const { clock, connections, rate, seconds } = options
  const leadInMs = Math.min(200, 200 * seconds)
  const describe = (subject: Subject, kind: CallKind, ms: number, count = connections): MeasureOptions => ({
    subject,
    upstream,
    kind,
    connections: count,
    clock,
    nextId,
    ms,
    leadInMs,
  })
  if (suite === 'large') {
    return [createLargeCall(), createTracesCall()].map((kind) => ({
      scenario: kind.name,
      measure: (subject, ms) => measureClosedLoop({ ...describe(subject, kind, ms, largeConnections), peak: true }),
    }))
  }
  return [
    {
      scenario: 'small',
      measure: (subject, ms) => measureClosedLoop({ ...describe(subject, smallCall, ms), peak: false }),
    },
    {
      scenario: 'block',
      measure: (subject, ms) => measureClosedLoop({ ...describe(subject, blockCall, ms), peak: false }),
    },
    { scenario: 'rate', measure: (subject, ms) => measureFixedRate({ ...describe(subject, smallCall, ms), rate }) },
  ]
}
