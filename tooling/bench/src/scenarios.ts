import {
  batchCall,
  blockCall,
  cachedCall,
  type CallKind,
  createLargeCall,
  createTracesCall,
  smallCall,
  socketCall,
} from './calls.ts'
import type { BenchClock } from './defaults.ts'
import { measureMix } from './mix/measure-mix.ts'
import { type MeasureOptions, measureClosedLoop, measureFixedRate } from './measure.ts'
import { measureSubscribers } from './measure-subscribers.ts'
import type { Measurement, Scenario } from './measurement.ts'
import type { Subject, Suite } from './subjects/subject.ts'
import type { Upstream } from './subjects/upstream.ts'

const largeConnections = 8

type Measure = (subject: Subject, ms: number) => Promise<Measurement['values']>

/** The settings that scenarios depend on. */
export interface ScenarioOptions {
  /** How long each measurement takes, in seconds. */
  readonly seconds: number
  /** Calls a second of the fixed-rate scenario. */
  readonly rate: number
  /** Connections of the small scenarios; large ones have eight. */
  readonly connections: number
  /** WebSockets with a subscription to heads each. */
  readonly subscribers: number
  /** How long calls are made before each measurement, in s. Default: 0.2, or a fifth of it where it is shorter than 1 s. */
  readonly leadIn?: number | undefined
  readonly clock: BenchClock
}

/** A scenario with the settings of a run. */
export interface RunnableScenario {
  readonly scenario: Scenario
  readonly warmUp: Measure
  readonly measure: Measure
}

/** The parts that the measurements of a suite share. */
export interface Surroundings {
  readonly upstream: Upstream
  readonly nextId: () => number
  /** Whether a subject keeps answers, by its name. */
  readonly caches: ReadonlyMap<string, boolean>
}

/** Makes the scenarios of a suite, in their order. */
export function createScenarios(
  suite: Suite,
  options: ScenarioOptions,
  { upstream, nextId, caches }: Surroundings,
): readonly RunnableScenario[] {
  const { clock, connections, rate, leadIn = Math.min(0.2, 0.2 * options.seconds) } = options
  const leadInMs = 1000 * leadIn
  const describe = (subject: Subject, kind: CallKind, ms: number, count = connections): MeasureOptions => ({
    subject,
    upstream,
    kind,
    connections: count,
    clock,
    nextId,
    ms,
    leadInMs,
    caches: caches.get(subject.name) === true,
  })
  const loop = (scenario: Scenario, kind: CallKind, count?: number): RunnableScenario => {
    const measure: Measure = (subject, ms) => measureClosedLoop({ ...describe(subject, kind, ms, count), peak: false })
    // The first answers are none of a cache.
    const cold: Measure = (subject, ms) =>
      measureClosedLoop({ ...describe(subject, kind, ms, count), caches: true, isCold: true, peak: false })
    return { scenario, measure, warmUp: kind.isCached === true ? cold : measure }
  }
  if (suite === 'cached') return [loop('cached', cachedCall)]
  if (suite === 'batch') return [loop('batch', batchCall)]
  if (suite === 'socket') return [loop('socket', socketCall)]
  if (suite === 'subscribers') {
    const measure: Measure = (subject, ms) =>
      measureSubscribers({ ...describe(subject, smallCall, ms), subscribers: options.subscribers })
    return [{ scenario: 'subscribers', measure, warmUp: async () => ({}) }]
  }
  if (suite === 'mix') {
    let seed = 0
    const measure: Measure = (subject, ms) => measureMix({ ...describe(subject, smallCall, ms), seed: ++seed })
    return [{ scenario: 'mix', measure, warmUp: measure }]
  }
  if (suite === 'large') {
    return [createLargeCall(), createTracesCall()].map((kind) => {
      const measure: Measure = (subject, ms) =>
        measureClosedLoop({ ...describe(subject, kind, ms, largeConnections), peak: true })
      return { scenario: kind.name, measure, warmUp: measure }
    })
  }
  const rated: Measure = (subject, ms) => measureFixedRate({ ...describe(subject, smallCall, ms), rate })
  return [loop('small', smallCall), loop('block', blockCall), { scenario: 'rate', measure: rated, warmUp: rated }]
}
