import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
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

/** Collects garbage of short life at once. */
export function collectYoung(): void {
  collect('minor')
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
  const observer = new PerformanceObserver((entries) => {
    if (entries.getEntries().some(isMajor)) end()
  })
  const timer = setTimeout(() => {
    shrink()
    end()
  }, patienceMs).unref()
  function end(): void {
    observer.disconnect()
    clearTimeout(timer)
    done()
  }
  observer.observe({ entryTypes: ['gc'] })
  press()
}

function isMajor(entry: PerformanceEntry): boolean {
  const { kind } = (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

function press(): void {
  try {
    void new ArrayBuffer(pressureBytes)
  } catch {
    // The addresses of the process are limited: what is due when its time has passed is all that can be done.
  }
}
