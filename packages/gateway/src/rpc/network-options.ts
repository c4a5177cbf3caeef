import type { Clock, RpcHandler } from '@wayleave/jsonrpc-core'
import type { SharedUses, SharedView } from '@wayleave/stores/shared-state'
import type { FairShare, SpendLedger, Turns } from '@wayleave/upstream'
import type { ByteBudget } from '@wayleave/http-server'
import type { PinnedNetwork } from '@wayleave/network/config'
import type {
  EndpointOptions,
  FilterStores,
  NetworkKind,
  NetworkLife,
  OpenCache,
  OpenVerification,
  ProjectUpstreams,
  StartCheckThread,
  ViewOpener,
} from '@wayleave/network'
import type { Log } from '@wayleave/telemetry'
import type { NoteDenial } from '../denial.ts'
import type { Limits, UpstreamLimits } from '../config/limits.ts'
import type { Metering } from '../metering/metering.ts'
import type { AccessLog } from '../telemetry/access-log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ShownUpstreams } from '../served-network.ts'
import type { CallRecorder } from '../trace/recorder.ts'
import type { Tracer } from '../trace/tracer.ts'

/** The state of networks that replicas share. */
export interface SharedNetworks {
  /** The heads that callers were told, by the `chainKey` of a network. */
  view(network: string): SharedView
  /** The pushes of upstreams that filters read. */
  pushes(network: string): SharedUses
  /** The units of a provider's plan that all have spent. */
  spend(plan: string): SpendLedger
}

/** The parts of the gateway that its networks share. Connections are real by default. */
export interface NetworksOptions extends Partial<Pick<EndpointOptions, 'openPort' | 'connect'>> {
  readonly limits: Limits
  readonly budget: ByteBudget
  readonly turns: Turns
  /** Rollup nodes in this process, by network; they go before a configured URL. */
  readonly rollupNodes: Readonly<Record<string, RpcHandler>>
  /** Starts a thread for the verification of long answers. Default: they are verified on this one. */
  readonly startThread?: StartCheckThread | undefined
  readonly metrics: Metrics
  /** The cache of all networks. Default: there is none. */
  readonly cache?: OpenCache | undefined
  /** The state of each network that replicas share, by its name. Default: this process is alone. */
  readonly shared?: SharedNetworks | undefined
  /** Opens the views of chains where several processes share them. Default: this one follows its upstreams itself. */
  readonly views?: ViewOpener | undefined
  /** The store of the filters. Default: they end with this process. */
  readonly filterStores?: FilterStores | undefined
  readonly clock: Clock
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void
  /** The time in which the event loop has had nothing to do, in ms. Default: the time of the clock. */
  readonly idleMs?: (() => number) | undefined
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** Makes an id that nobody can guess. */
  readonly newFilterId: () => string
  /** Returns bytes that nobody can guess, for the ids of subscriptions. Default: the platform's. */
  readonly randomBytes?: ((count: number) => Uint8Array) | undefined
  readonly noteDenial: NoteDenial
  readonly metering: Pick<Metering, 'prices'> & Partial<Pick<Metering, 'maxFiltersOf'>>
  /** Traces the calls of callers. Default: none is. */
  readonly tracing?: {
    readonly recorder: Pick<CallRecorder, 'wentWell' | 'keep'>
    readonly tracer: Pick<Tracer, 'ended' | 'batchEnded' | 'traceparentOf'>
  }
  readonly log: Log
  /** Default: no call gets a line. */
  readonly access?: Pick<AccessLog, 'takes' | 'write'>
}

export interface NetworkOptions extends Omit<NetworksOptions, 'limits'> {
  readonly name: string
  readonly limits: UpstreamLimits
  /** The limits of callers at the moment: each is read where it is applied. */
  readonly callerLimits: Omit<Limits, keyof UpstreamLimits>
  readonly config: PinnedNetwork
  readonly kind: NetworkKind
  readonly denyMethods: readonly string[]
  /** Methods that have a price of the configuration, and prefixes. */
  readonly pricedMethods: readonly string[]
  /** The calls in flight of the whole process, by project. */
  readonly calls: FairShare
  /** The filters of the whole process, by project. */
  readonly filters: FairShare
  /** The parts that stay while the network is replaced. */
  readonly life: NetworkLife
  /** The turns in which the answers of upstreams are read. */
  readonly readingTurns: Turns
  /** Undefined: no network is verified. */
  readonly verification: OpenVerification | undefined
  readonly projects: ProjectUpstreams
  readonly showsUpstream: ShownUpstreams['showsUpstream']
}
