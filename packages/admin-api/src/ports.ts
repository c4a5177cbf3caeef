import type {
  AccountStore,
  Author,
  GivenKey,
  GivenPlan,
  GivenProject,
  StoredKey,
  StoredPlan,
  StoredProject,
} from '@wayleave/auth'
import type { Plan as Limits, UsageQuery, UsageSum } from '@wayleave/metering'
import type { GasPort } from './gas-port.ts'
import type { MethodPort } from './method-port.ts'
import type { PinPort, PinVerificationPort } from './pin-port.ts'
import type { ReplayPort } from './replay-port.ts'
import type { StreamPort } from './stream-port.ts'
import type { AdminEvents } from './events.ts'
import type { LiveCallQuery } from './model/live-call.ts'
import type { OpenTraffic, TrafficPoint, TrafficStep, TrafficTimes } from './model/traffic.ts'

/** A plan as the store keeps it. */
export type PlanRecord = StoredPlan<Limits>
/** A project as the store keeps it. */
export type ProjectRecord = StoredProject<Limits>
/** A key as the store keeps it, by digest. */
export type KeyRecord = StoredKey<Limits>
/** The store of accounts; that of `@wayleave/stores` fits. */
export type AccountPort = AccountStore<Limits>

/** The part of a store of usage that this API reads; that of `@wayleave/stores` fits. */
export interface UsagePort {
  query(query: UsageQuery): Promise<readonly UsageSum[]>
}

/** A network as the process sees it now. */
export interface NetworkRecord {
  readonly name: string
  readonly upstreams: readonly UpstreamRecord[]
}

export interface UpstreamRecord {
  readonly name: string
  /** Whether it may be asked now. */
  readonly isUp: boolean
  /** Why it may not. */
  readonly reason?: string | undefined
  /** Why an operator has it left alone. */
  readonly cordoned?: string | undefined
  /** The number of its latest block. */
  readonly head?: number | undefined
  /** Blocks behind the others. */
  readonly lag?: number | undefined
}

/** The networks that a gateway serves. */
export interface NetworkPort {
  list(): readonly NetworkRecord[] | Promise<readonly NetworkRecord[]>
  /** Has an upstream left alone for the reason given, or used again where it is undefined; false where there is no such upstream. */
  cordon(network: string, upstream: string, reason: string | undefined, by: Author): boolean | Promise<boolean>
}

/** The traffic of a gateway, as it counts it. */
export interface TrafficPort {
  /** Unix time in ms from which on it counts. */
  readonly since: number
  /** Returns the steps that begin from `from` on and before `to`, the oldest first. */
  points(step: TrafficStep, from: number, to: number): readonly TrafficPoint[]
  /** Returns the times of all calls of these steps together. */
  times(step: TrafficStep, from: number, to: number): TrafficTimes
  /** Returns the calls that are open now. */
  open(): OpenTraffic
}

/** The calls of a gateway, as they end. */
export interface CallPort {
  /** Makes a stream of the calls that are wanted, in events `calls` and `dropped`; undefined where as many as may be are open. */
  live(wanted: LiveCallQuery): AdminEvents | undefined
}

/** A process of a gateway. */
export interface ProcessRecord {
  /** `host:pid`. */
  readonly process: string
  /** Unix time in ms. */
  readonly startedAt: number
  /** Empty where it is not known. */
  readonly version: string
  /** Its workers that serve; absent where it serves alone. */
  readonly workers?: number | undefined
}

/** The processes that a gateway knows. */
export interface ProcessPort {
  list(): readonly ProcessRecord[]
}

/** The parts of a running gateway that routes ask. Those of a part that is absent answer 404; of `pins` and `verification`, 503. */
export interface GatewayPorts {
  readonly networks?: NetworkPort | undefined
  readonly traffic?: TrafficPort | undefined
  readonly calls?: CallPort | undefined
  readonly processes?: ProcessPort | undefined
  readonly gas?: GasPort | undefined
  readonly streams?: StreamPort | undefined
  readonly pins?: PinPort | undefined
  readonly verification?: PinVerificationPort | undefined
  readonly methods?: MethodPort | undefined
  readonly replay?: ReplayPort | undefined
}

/** The accounts of the configuration: listed, and read-only. */
export interface ConfiguredAccounts {
  readonly plans?: readonly GivenPlan<Limits>[]
  readonly projects: readonly ConfiguredProject[]
}

/** A project of the configuration. */
export interface ConfiguredProject extends GivenProject<Limits> {
  readonly keys: readonly ConfiguredKey[]
}

/** A key of the configuration. */
export interface ConfiguredKey extends Omit<GivenKey<Limits>, 'projectId' | 'secrets'> {}
