import { hash, randomBytes, randomFillSync } from 'node:crypto'
import { hostname, totalmem } from 'node:os'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import {
  constants,
  monitorEventLoopDelay,
  performance,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import type { ProcessWatch } from './ops/process-metrics.ts'
import { collectAll, collectYoung, letGrow, shrink } from './collect.ts'
import { type StartCheckThread, startCheckThread } from './rpc/check-thread.ts'
import { type StartWorker, startWorkerProcess } from './workers/worker-process.ts'

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
}

/** Node tells the limit of a control group; without one it tells nothing, or more than there is. */
function memoryBytes(): number {
  const limit = process.constrainedMemory()
  const total = totalmem()
  return limit > 0 && limit < total ? limit : total
}

/** Random bytes for the next ids: to ask for so many at once costs no more than for 16. */
const pool = Buffer.allocUnsafeSlow(4_096)
let used = pool.length

function newTraceId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return pool.toString('hex', used - 16, used)
}

let lastUse = performance.eventLoopUtilization()

function busyPart(): number {
  const use = performance.eventLoopUtilization()
  const { utilization } = performance.eventLoopUtilization(use, lastUse)
  lastUse = use
  return utilization
}

/** The steps in which the event loop is watched, in ms: a delay is what comes on top of one. */
const lagStepMs = 10
/** How long the delays of the event loop are collected, at least, in ms: several readers see the same ones. */
const lagForMs = 30_000

const collectionKinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

function watchProcess(): ProcessWatch {
  const delays = monitorEventLoopDelay({ resolution: lagStepMs })
  delays.enable()
  let collectedSince = performance.now()
  let onCollection: (kind: string, seconds: number) => void = () => {}
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } }
      onCollection(collectionKinds[detail?.kind ?? 0] ?? 'other', duration / 1_000)
    }
  })
  collections.observe({ entryTypes: ['gc'] })
  const seconds = (nanos: number): number => Math.max(0, nanos / 1e9 - lagStepMs / 1_000) || 0
  return {
    read() {
      const { user, system } = process.cpuUsage()
      const { heapUsed, heapTotal, external } = process.memoryUsage()
      const { mean, max } = delays
      const lag = {
        mean: seconds(mean),
        p50: seconds(delays.percentile(50)),
        p99: seconds(delays.percentile(99)),
        max: seconds(max),
      }
      if (performance.now() - collectedSince >= lagForMs) {
        delays.reset()
        collectedSince = performance.now()
      }
      return {
        cpuUserSeconds: user / 1e6,
        cpuSystemSeconds: system / 1e6,
        residentBytes: process.memoryUsage.rss(),
        openFds: openFds(),
        maxFds: maxFds(),
        heapUsedBytes: heapUsed,
        heapTotalBytes: heapTotal,
        externalBytes: external,
        lag,
      }
    },
    onCollection(run) {
      onCollection = run
    },
    close() {
      delays.disable()
      collections.disconnect()
    },
  }
}

/** Counts the open file descriptors. Linux tells their number as the size of their folder since 6.2; listing 20,000 takes milliseconds. */
function openFds(): number | undefined {
  try {
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

function maxFds(): number | undefined {
  try {
    const limit = /^Max open files +(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/** The real clock, with timers that do not keep the process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** The real surroundings. This file is the only place of the package that touches ambient time and randomness. */
export const realSurroundings: Surroundings = {
  clock: systemClock,
  newTraceId,
  newFilterId: () => `0x${BigInt(`0x${randomBytes(16).toString('hex')}`).toString(16)}`,
  newSecret: () => randomBytes(32).toString('hex'),
  random: Math.random,
  sha256: (text) => hash('sha256', text, 'hex'),
  nextTurn: (run) => void setImmediate(run),
  collectYoung,
  collectAll,
  letGrow,
  shrink,
  heapBytes: () => getHeapStatistics().total_heap_size,
  bufferBytes: () => process.memoryUsage().arrayBuffers,
  busyPart,
  startThread: startCheckThread,
  watchProcess,
  startSeconds: Math.round(performance.timeOrigin) / 1_000,
  processName: `${hostname()}:${process.pid}`,
  nodeVersion: process.version,
  startWorker: startWorkerProcess,
  memoryBytes: memoryBytes(),
}
