import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collector: ((options: { readonly type: 'minor' | 'major' }) => void) | undefined

/** Collects garbage at once. Node offers the collector only behind a flag, which may be set while it runs. */
function collect(type: 'minor' | 'major'): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as typeof collector
  }
  collector!({ type })
}

/** Collects all garbage at once, and gives the memory back to the system. */
export function shrink(): void {
  collect('major')
}

/** Bounds what the heap may grow by between two collections of everything, in percent; 0: V8 does. Node offers it only as a flag. */
export function letGrow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/**
 * Collects garbage of short life at once; does nothing while V8 collects everything in steps, since it would do all that is left of them
 * before.
 */
export function collectYoung(): void {
  watch()
  if (performance.now() >= markingUntil) collect('minor')
}

/**
 * Bytes outside V8's heap that make it collect by itself: it does so, in small steps and beside the program, when 64 MiB have come since
 * its last collection. The system gives memory to them only where it is written to, and nothing is.
 */
const pressureBytes = 80 * 1_024 * 1_024
/** Time after which everything is collected at once, in ms, should V8 not have done so. */
const patienceMs = 3_000

/**
 * Collects all garbage and calls back when that is done. To collect 100 MB at once stops the process for some 100 ms, in steps for some
 * 10 ms at most.
 */
export function collectAll(done: () => void): void {
  const timer = setTimeout(() => {
    shrink()
    end()
  }, patienceMs).unref()
  function end(): void {
    clearTimeout(timer)
    if (waiting.delete(end)) done()
  }
  watch()
  waiting.set(end, performance.now())
  press()
}

/** The time until which V8 collects everything in steps, in ms; 0: it does not. */
let markingUntil = 0
/** Those who wait for the end of a collection of everything, with the time since when: an earlier one may be told later. */
const waiting = new Map<() => void, number>()
let observer: PerformanceObserver | undefined

function watch(): void {
  if (observer !== undefined) return
  observer = new PerformanceObserver((entries) => {
    for (const entry of entries.getEntries()) {
      const kind = kindOf(entry)
      if (kind === constants.NODE_PERFORMANCE_GC_INCREMENTAL) markingUntil = entry.startTime + patienceMs
      if (kind !== constants.NODE_PERFORMANCE_GC_MAJOR) continue
      markingUntil = 0
      for (const [end, since] of waiting) if (entry.startTime >= since) end()
    }
  })
  observer.observe({ entryTypes: ['gc'] })
}

function kindOf(entry: PerformanceEntry): number {
  return (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail.kind
}

function press(): void {
  try {
    void new ArrayBuffer(pressureBytes)
  } catch {
    // The addresses of the process are limited: what is due when its time has passed is all that can be done.
  }
}
