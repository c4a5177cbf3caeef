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
import { systemClock } from '@wayleave/jsonrpc-core'
import { startCheckThread } from '@wayleave/network'
import type { ProcessWatch } from './telemetry/process-metrics.ts'
import { collectAll, collectYoung, letGrow, shrink } from './collect.ts'
import { startWorkerProcess } from './cluster/worker-process.ts'
import type { Surroundings } from './surroundings.ts'

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

/** The real surroundings. This file is the only place of the package that touches ambient time and randomness. */
export const realSurroundings: Surroundings = {
  clock: systemClock,
  newTraceId,
  newFilterId: () => `0x${BigInt(`0x${randomBytes(16).toString('hex')}`).toString(16)}`,
  newSecret: () => randomBytes(32).toString('hex'),
  random: Math.random,
  sha256: (text) => hash('sha256', text, 'hex'),
  nextTurn: (run) => void setImmediate(run),
  idleMs: () => performance.nodeTiming.idleTime,
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
