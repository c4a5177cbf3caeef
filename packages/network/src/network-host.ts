import type { GetLogsOptions } from '@wayleave/evm-events'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { CacheOutcome } from '@wayleave/rpc-cache'
import type { SpendLedger, Turns } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'
import type { OpenCache } from './cache/open-cache.ts'
import type { EndpointOptions } from './endpoints/endpoints.ts'
import type { FilterRules } from './filters/filter-stage.ts'
import type { CallClass } from './kinds/method-class.ts'
import type { EventOptions } from './kinds/network-kind.ts'
import type { AttachStagesOptions } from './life/attach-stages.ts'
import type { LongLogsOptions } from './long-logs.ts'
import type { CallMarks } from './upstreams/call-marks.ts'
import type { UpstreamCounts } from './upstreams/upstream-counts.ts'
import type { ViewOpener } from './upstreams/view-opener.ts'

/** Limits that the connections and slots of a network are made with. */
export interface UpstreamLimits {
  /** Longest answer of an upstream that is held whole, in bytes. */
  readonly maxUpstreamBytes: number
  /** Most calls that an upstream is asked at once. */
  readonly maxUpstreamCalls: number
}

/** Limits of callers: each is read where it is applied. */
export type CallerLimits = LongLogsOptions['callerLimits'] & {
  /** Most calls that wait for an upstream with room. */
  readonly maxCalls: number
  /** Longest wait of such a call, in ms. */
  readonly maxQueueMs: number
}

/** The counts of one network. */
export type NetworkCounts = UpstreamCounts &
  AttachStagesOptions['counts'] & {
    /** Counts a call that waited for an upstream with room for it, and how long, in ms. */
    queued(ms: number): void
  }

export interface CacheCounts {
  /** Counts an answer of the cache of a network: its outcome, the class of its method, and its bytes. */
  cacheAnswered(network: string, outcome: CacheOutcome, method: CallClass, bytes: number): void
}

/** The parts that a network takes from the process it is in. */
export interface NetworkHost extends Pick<EndpointOptions, 'connect' | 'traceparentOf'>, Omit<EventOptions, 'canPush'> {
  /** Opens the connections of one upstream. Default: real ones. */
  readonly openPort?: EndpointOptions['openPort'] | undefined
  readonly limits: UpstreamLimits
  readonly callerLimits: CallerLimits
  /** The bytes that answers make the process hold. */
  readonly accounts: {
    /** Makes the account of one answer that arrives, which several callers may share. */
    readonly ofAnswer: EndpointOptions['accountOf']
    /** Finds the account of one caller. */
    readonly ofCaller: GetLogsOptions['accountOf']
  }
  readonly turns: Turns
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void
  /** The time in which the event loop has had nothing to do, in ms. Default: the time of the clock. */
  readonly idleMs?: (() => number) | undefined
  /** The turns in which the answers of upstreams are read. */
  readonly readingTurns: Turns
  readonly counts: NetworkCounts
  /** Counts the answers of the cache. */
  readonly cacheCounts: CacheCounts
  /** Called with a limit of the process that refused a call, and with the call's project. */
  readonly onRefused: (limit: 'maxUpstreamCalls' | 'maxFilters', project: string) => void
  /** Notes the way of calls. Default: no call is traced. */
  readonly marks?: CallMarks | undefined
  readonly filters: FilterRules
  /** The cache of all networks. Default: there is none. */
  readonly cache?: OpenCache | undefined
  /** Opens the views of chains where several processes share them. Default: this one follows its upstreams itself. */
  readonly views?: ViewOpener | undefined
  /** Finds the units that all replicas have spent at an upstream, by its name. Default: this process is alone. */
  readonly ledgerOf?: ((upstream: string) => SpendLedger | undefined) | undefined
  readonly clock: Clock
  /** A number from 0 up to 1. */
  readonly random: () => number
  readonly log: Log
}
