import {
  type Candidate,
  type CandidateOptions,
  createCandidate,
  createHedging,
  createRetries,
  createSelection,
  createUpstreamHealth,
  type FailureKind,
  patienceMs,
  type Selection,
  type SelectionOptions,
  type Exclusion,
} from '@wayleave/upstream'
import { seeded } from '../src/simulation/seeded.ts'
import { SimulatedClock } from '../src/simulation/simulated-clock.ts'
import { answering, call } from './support.ts'

export { seeded }

export interface SimulatedUpstream extends Omit<Partial<CandidateOptions>, 'endpoint' | 'health'> {
  readonly name: string
  /** Latency of a call at a time of the simulation, in ms; infinite: it hangs. */
  latencyMs(random: () => number, at: number): number
  /** The failure of a call, after its latency. */
  failure?(random: () => number, at: number): FailureKind | undefined
}

export interface SimulationOptions extends Pick<SelectionOptions, 'lagOf' | 'excludes'> {
  readonly upstreams: readonly SimulatedUpstream[]
  readonly callsPerSecond: number
  readonly seconds: number
  readonly seed?: number
  readonly hedges?: boolean
}

export interface SimulatedCall {
  /** Times since the beginning, in ms. */
  readonly at: number
  ms: number
  isAnswered: boolean
  readonly asked: string[]
}

export interface Simulation {
  readonly calls: readonly SimulatedCall[]
  readonly selection: Selection
  readonly candidates: readonly Candidate[]
  /** Probes by name. */
  readonly probes: Readonly<Record<string, number>>
  readonly healthByName: readonly {
    readonly at: number
    readonly name: string
    readonly health: Exclusion | undefined
  }[]
  /** Calls of callers by name. */
  readonly askedOf: (name: string, from?: number, to?: number) => number
  readonly extraShare: number
  readonly answeredShare: number
  /** Times that the order of upstreams by preference has changed, as `isSuperseded` tells. */
  readonly outruns: number
}

const deadlineMs = 10_000

/** Runs reads through health, selection, hedging and retries as a pool composes them. Nothing in it waits for real time. */
export function simulate(options: SimulationOptions): Simulation {
  const { upstreams, callsPerSecond, seconds, seed = 1, hedges = false } = options
  const random = seeded(seed)
  const clock = new SimulatedClock()
  const start = clock.now()
  const models = new Map(upstreams.map((it) => [it.name, it]))
  const probes: Record<string, number> = {}
  const healthByName: Simulation['healthByName'][number][] = []
  const request = call('eth_call')

  const candidates = upstreams.map(({ name, latencyMs, failure, slots = 160, ...rest }) => {
    const onProbeDue: NonNullable<Parameters<typeof createUpstreamHealth>[0]['onProbeDue']> = (health, inMs) => {
      clock.after(inMs, () => {
        probes[name] = (probes[name] ?? 0) + 1
        const at = clock.now() - start
        const ms = latencyMs(random, at)
        const hasFailed = ms > 2_000 || failure?.(random, at) !== undefined
        clock.after(Math.min(ms, 2_000), () => health.probed(!hasFailed, clock.now()))
      })
    }
    const endpoint = { name, handler: answering(name), carriesSubscriptions: false }
    return createCandidate({ endpoint, health: createUpstreamHealth({ name, onProbeDue }), slots, ...rest })
  })
  const selection = createSelection({
    candidates,
    random,
    lagOf: options.lagOf,
    excludes: options.excludes,
    onExclusion: ({ endpoint: { name } }, health) => healthByName.push({ at: clock.now() - start, name, health }),
  })
  const hedging = createHedging()
  const retries = createRetries({ random })
  const calls: SimulatedCall[] = []

  function send(): void {
    const begun = clock.now()
    const record: SimulatedCall = { at: begun - start, ms: 0, isAnswered: false, asked: [] }
    calls.push(record)
    hedging.counted()
    retries.counted()
    const ordered = selection.order({ request, class: 'read', now: begun })
    let left = [...ordered]
    let rounds = 1
    let isOver = false
    let pending = 0
    const open = new Set<() => void>()

    function over(isAnswered: boolean): void {
      isOver = true
      record.isAnswered = isAnswered
      record.ms = clock.now() - begun
      for (const abandon of open) abandon()
    }

    function next(): void {
      if (isOver) return
      const candidate = left.shift()
      if (candidate !== undefined) return attempt(candidate)
      if (pending > 0) return
      const pause = retries.again(rounds++)
      if (pause === undefined) return over(false)
      left = [...ordered]
      clock.after(pause, next)
    }

    function attempt(candidate: Candidate): void {
      const { health, endpoint } = candidate
      const since = clock.now()
      const model = models.get(endpoint.name)!
      record.asked.push(endpoint.name)
      pending++
      const ticket = health.begin('read', since)
      const ms = model.latencyMs(random, since - start)
      const failure = ms > deadlineMs ? 'timeout' : model.failure?.(random, since - start)
      const stops = [
        clock.after(Math.min(ms, deadlineMs), () => {
          finish()
          if (failure === undefined) {
            health.succeeded(ticket, clock.now())
            over(true)
          } else {
            health.failed(ticket, failure, clock.now())
            next()
          }
        }),
      ]
      let isSeconded = false
      const beside = (mayAsk: () => boolean) => (): void => {
        if (isSeconded || left.length === 0 || !mayAsk()) return
        isSeconded = true
        next()
      }
      const hedgeMs = hedges ? hedging.afterMs(candidate, left[0], 'read') : undefined
      if (hedgeMs !== undefined) stops.push(clock.after(hedgeMs, beside(hedging.take)))
      stops.push(
        clock.after(
          patienceMs(candidate, 'read'),
          beside(() => true),
        ),
      )
      const abandon = (): void => {
        finish()
        health.abandoned(ticket, clock.now())
      }
      open.add(abandon)
      function finish(): void {
        pending--
        open.delete(abandon)
        for (const stop of stops) stop()
      }
    }

    next()
  }

  let outruns = 0
  const before = candidates.map(() => false)
  const end = start + seconds * 1_000
  const arrive = (): void => {
    if (clock.now() > end) return
    send()
    for (const [i, { health }] of candidates.entries()) {
      const isSuperseded = health.of('read')?.isSuperseded ?? false
      if (isSuperseded !== before[i]) outruns++
      before[i] = isSuperseded
    }
    clock.after((-Math.log(1 - random()) * 1_000) / callsPerSecond, arrive)
  }
  arrive()
  clock.runUntil(end + 30_000)

  const asked = calls.reduce((sum, it) => sum + it.asked.length, 0)
  return {
    calls,
    selection,
    candidates,
    probes,
    healthByName,
    askedOf: (name, from = 0, to = Number.POSITIVE_INFINITY) =>
      calls
        .filter(({ at }) => at >= from && at < to)
        .reduce((sum, it) => sum + it.asked.filter((one) => one === name).length, 0),
    extraShare: asked / calls.length - 1,
    answeredShare: calls.filter(({ isAnswered }) => isAnswered).length / calls.length,
    outruns,
  }
}

/** A latency around `medianMs` with a tail to the right, as networks have it. */
export const around =
  (medianMs: number, spread = 0.4) =>
  (random: () => number): number =>
    medianMs * Math.exp(spread * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))

/** The part `q` of the latencies of calls that began from `from` to `to`. */
export function quantileOf(
  calls: readonly SimulatedCall[],
  q: number,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): number {
  const sorted = calls.flatMap(({ at, ms }) => (at >= from && at < to ? [ms] : [])).toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)]!
}
