import type { Clock } from '@wayleave/jsonrpc-core'
import type { StartCheckThread } from '@wayleave/network'
import type { FixedLimits } from './config/limits.ts'
import type { StartWorker } from './shared-state/worker-line.ts'
import type { ProcessWatch } from './telemetry/process-metrics.ts'

/** Everything ambient that the gateway uses: time, randomness, hashes, the collector. Tests bring their own. */
export interface Surroundings {
  readonly clock: Clock
  /** 16 random bytes as 32 lower-case hex digits, as W3C Trace Context has them. */
  readonly newTraceId: () => string
  /** Makes an id that nobody can guess: 16 random bytes as a hex quantity. */
  readonly newFilterId: () => string
  /** 32 random bytes as 64 hex digits. */
  readonly newSecret: () => string
  /** A number from 0 up to 1; upstreams are drawn by it. */
  readonly random: () => number
  /** Lower-case hex. */
  readonly sha256: (text: string) => string
  /** Calls back in the next turn of the event loop, after what has come in meanwhile. */
  readonly nextTurn: (run: () => void) => void
  /** The time in which the event loop has had nothing to do, in ms. */
  readonly idleMs: () => number
  /** Collects garbage of short life, at once. */
  readonly collectYoung: () => void
  /** Collects all garbage, a little at a time; calls back when that is done. */
  readonly collectAll: (done: () => void) => void
  /** Bounds what V8's heap may grow by between two collections of everything, in percent; 0: V8 does. */
  readonly letGrow: (percent: number) => void
  /** Collects all garbage at once, and gives the memory back to the system. */
  readonly shrink: () => void
  /** The size of V8's heap, with what is free in it, in bytes. */
  readonly heapBytes: () => number
  /** Bytes in buffers outside of V8's heap, garbage included. */
  readonly bufferBytes: () => number
  /** The part of the time since the last question in which the event loop was busy: 0 to 1. */
  readonly busyPart: () => number
  /** Starts a thread for the verification of long answers. Default: they are verified on this one. */
  readonly startThread?: StartCheckThread
  /** Begins to watch the process. */
  readonly watchProcess: () => ProcessWatch
  /** When the process began, in seconds since 1970. */
  readonly startSeconds: number
  /** `host:pid`, for operators who look after several. */
  readonly processName: string
  /** `v24.1.0`. */
  readonly nodeVersion: string
  /** Starts a worker process. */
  readonly startWorker: StartWorker
  /** The memory that this process may use, in bytes. */
  readonly memoryBytes: number
  /** Limits that no configuration sets, in place of the usual ones. Default: those. */
  readonly fixedLimits?: Partial<FixedLimits>
  /** How often IPFS content that no project pins is removed, in ms; first at most ten minutes after the start. Default: every hour. */
  readonly collectEveryMs?: number
}
