import type { AccountEvent, Project } from '@wayleave/auth'
import type { Limiter, Limits, MeteredCaller, Prices, Refusal, Usage, UsageRecorder } from '@wayleave/metering'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Principal } from '../principal.ts'
import type { PlanOf } from './plans.ts'

/** A place of calls, as far as prices and usage go. There are as many as networks and APIs: keep them. */
export interface MeteredPlace {
  /** The slug of a network, `gas` or `ipfs`: the network in usage. */
  readonly network: string
  /** The kind of the network, `gas` or `ipfs`, which decides on prices. */
  readonly kind: string
  /** The methods that usage tells apart. */
  readonly methods: Pick<ReadonlySet<string>, 'has'>
}

/** Limits and counts the calls of all callers. */
export interface Metering {
  readonly prices: Prices
  /** Another number whenever plans or prices have changed: meters of a caller that are kept are to be taken anew then. */
  readonly version: number
  /** Returns the meters of a caller; undefined where nothing of theirs is limited or counted. */
  callerOf(principal: Principal, place: MeteredPlace): MeteredCaller | undefined
  /** Returns the most filters that a project may have on a network. */
  maxFiltersOf(principal: Principal): number
  /** Forgets a key or a project that is gone, and reads the plan of one that has changed anew. */
  forget(event: AccountEvent): void
}

export interface MeteringOptions {
  readonly prices: Prices
  readonly limits: Limits
  readonly planOf: PlanOf
  /** Another number whenever plans have changed otherwise than with their keys and projects. Default: they never do. */
  readonly plansVersion?: () => number
  /** Undefined: usage is not counted. */
  readonly usage: Usage | undefined
  readonly metrics: Pick<Metrics, 'limited'>
  /** Keys whose meters are kept at hand. Default 20,000. */
  readonly maxKeys?: number
}

/** Filters of a project whose plan names none, on each network. */
const usualFilters = 1_000

/** The meters of a key. */
interface KeyMeters {
  /** Another object once the project has changed. */
  readonly project: Project
  readonly version: number
  readonly limiter: Limiter | undefined
  readonly recorders: Map<MeteredPlace, UsageRecorder>
}

/** Creates a {@link Metering}. Meters that are not at hand are made anew; what was spent and counted is kept below. */
export function createMetering(options: MeteringOptions): Metering {
  const { prices, limits, planOf, plansVersion = () => 0, usage, metrics, maxKeys = 20_000 } = options
  const keys = new Map<string, KeyMeters>()

  function open(principal: Principal): KeyMeters {
    const { project, keyId } = principal
    if (keys.size >= maxKeys && !keys.has(keyId)) keys.delete(keys.keys().next().value!)
    const made = { project, version: plansVersion(), limiter: limiterOf(principal), recorders: new Map() }
    keys.set(keyId, made)
    return made
  }

  function limiterOf(principal: Principal): Limiter | undefined {
    const { project, keyId } = principal
    const plans = planOf(principal)
    if (plans.key === undefined && plans.project === undefined) return undefined
    const limiter = limits.of({ id: keyId, plan: plans.key }, { id: project.id, plan: plans.project })
    return counting(limiter, project.id, metrics)
  }

  function recorderOf(
    { recorders }: KeyMeters,
    { project, keyId }: Principal,
    place: MeteredPlace,
  ): UsageRecorder | undefined {
    let recorder = recorders.get(place)
    if (recorder !== undefined || usage === undefined) return recorder
    const { network, methods } = place
    recorder = usage.recorder({ project: project.id, key: keyId, network }, methods)
    recorders.set(place, recorder)
    return recorder
  }

  function keysOf(projectId: string): readonly string[] {
    return [...keys].flatMap(([id, { project }]) => (project.id === projectId ? [id] : []))
  }

  return {
    prices,
    get version() {
      return plansVersion()
    },
    callerOf(principal, place) {
      // A caller without a key has nothing that could be limited.
      if (principal.keyId === '') return undefined
      const known = keys.get(principal.keyId)
      const isFresh = known?.project === principal.project && known.version === plansVersion()
      const meters = isFresh ? known : open(principal)
      const recorder = recorderOf(meters, principal, place)
      const { limiter } = meters
      if (limiter === undefined && recorder === undefined) return undefined
      return { kind: place.kind, visitor: principal.address, limiter, recorder }
    },
    maxFiltersOf: (principal) => planOf(principal).project?.maxFilters ?? usualFilters,
    forget({ kind, projectId, keyId }) {
      const ids = keyId === undefined ? keysOf(projectId) : [keyId]
      for (const id of ids) {
        keys.delete(id)
        if (kind === 'revoked') limits.forget('key', id)
      }
      if (kind === 'revoked' && keyId === undefined) limits.forget('project', projectId)
    },
  }
}

/** Counts the refusals of a limiter. */
function counting(limiter: Limiter, project: string, metrics: Pick<Metrics, 'limited'>): Limiter {
  function counted(refusal: Refusal | undefined): Refusal | undefined {
    if (refusal !== undefined) metrics.limited(project, refusal.limit.window)
    return refusal
  }

  return {
    ...limiter,
    admit(method, visitor, price) {
      const refusal = limiter.admit(method, visitor, price)
      if (refusal?.reserve === undefined) return counted(refusal)
      const { reserve } = refusal
      return { ...refusal, reserve: async () => counted(await reserve()) }
    },
  }
}
