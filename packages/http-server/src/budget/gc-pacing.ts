import type { Clock } from '@wayleave/jsonrpc-core'

/**
 * Has garbage collected when bytes of the budget have come and gone: V8 sees little of what buffers hold outside its heap, and frees it
 * late. Garbage beyond a bound is a part of the budget until it is collected.
 */
export interface GcPacing {
  taken(bytes: number): void
  /** Takes note of bytes that nobody holds any more; calls `release` once others may have them. */
  given(bytes: number, release: () => void): void
  close(): void
}

export interface GcPacingOptions {
  /** Collects garbage of short life, within about a millisecond. */
  readonly collectYoung: () => void
  /** Collects all garbage, a little at a time; calls back when that is done. */
  readonly collectAll: (done: () => void) => void
  /** Collects all garbage at once, which stops the process for some tens of milliseconds, and gives the memory back to the system. */
  readonly shrink: () => void
  /** Bounds what V8's heap may grow by between two collections of everything, in percent; 0: V8 does. */
  readonly letGrow: (percent: number) => void
  /** The size of V8's heap, with what is free in it, in bytes. */
  readonly heapBytes: () => number
  /** Bytes in buffers outside of V8's heap, garbage included. */
  readonly bufferBytes: () => number
  /** The part of the time since the last question in which the process was busy: 0 to 1. */
  readonly busyPart: () => number
  readonly clock: Clock
}

/**
 * A collection of everything takes as long as V8's heap is large, a full cache in it: from this size on, in bytes, the bounds of what may
 * gather before one grow with it.
 */
const usualHeap = 96 * 1024 * 1024
/**
 * Growth that V8's heap is allowed between two collections of everything: so many bytes, but no less and no more than a part of it, in percent. V8 takes
 * a tenth where garbage comes slowly: it would collect a full cache every 15 to 30 s, at the cost of the calls that come meanwhile, and a small heap
 * after every 4 MB that pass it in buffers, which it counts as growth.
 */
const growthBytes = 64 * 1024 * 1024
const growthPercent = { least: 40, most: 100 }
/** Bytes that are taken between two collections of what lives short. */
const takenBetween = 16 * 1024 * 1024
/** Bytes given back after which everything is collected soon, and after which it is once it is quiet. */
const givenBefore = { soon: 48 * 1024 * 1024, quiet: 24 * 1024 * 1024 }
/** Most garbage that others may not have before it is collected, in bytes: a project alone must not be refused for its own garbage. */
const mostUnreleased = 48 * 1024 * 1024
/** Growth of buffers after which everything is collected: those that outlive two collections of what lives short, as for slow callers, are freed by no third one. */
const grown = 16 * 1024 * 1024
/** Time after a collection until the bytes of its buffers are free, in ms: another thread frees them. */
const freeingMs = 100
/** Least time between two collections of everything, in ms. */
const betweenMs = { soon: 1_000, grown: 2_000, quiet: 15_000 }
/** A plan yields to a more urgent one. */
const urgency = { soon: 2, grown: 1, quiet: 0 }
/** Time until what is quiet is collected, in ms: what follows at once is collected with it. */
const settleMs = 2_000

/** Time between two looks at the heap, in ms; growth after which a calm process gives memory back, in bytes; calm is less than this. */
const lookEveryMs = 5_000
const worthGivingBack = 32 * 1024 * 1024
const calmPart = 0.1
/**
 * Time for which a process is calm before it gives memory back, in ms. At a collection of everything V8 drops code that it compiled for objects
 * of which none is left, such as calls: those after a short break would be as slow as the first ones.
 */
const calmMs = 60_000
/** Below this nobody notices that the process stops for a collection; beyond it that happens at most this often, in ms. */
const idlePart = 0.05
const stopEveryMs = 600_000

/** Creates the gcPacing of a process. */
export function createGcPacing(options: GcPacingOptions): GcPacing {
  const { collectYoung, collectAll, shrink, letGrow, heapBytes, bufferBytes, busyPart, clock } = options
  let takenSince = 0
  let givenSince = 0
  let collectedAt = Number.NEGATIVE_INFINITY
  let shrunkAt = Number.NEGATIVE_INFINITY
  let planned: keyof typeof betweenMs | undefined
  let unreleased: (() => void)[] = []
  let unreleasedBytes = 0
  let stop = nothing
  let leastHeap = Number.POSITIVE_INFINITY
  /** The fewest bytes in buffers since everything was collected. */
  let leastBuffers = Number.POSITIVE_INFINITY
  let isCollecting = false
  /** The size of V8's heap after the last collection of everything. */
  let heapThen = 0
  /** The part of the time before the last look in which the process was busy. */
  let busy = 0
  let calmSince = clock.now()
  let stopMeasuring: (() => void) | undefined
  let stopLooking = clock.after(lookEveryMs, look)

  /** Tells how much of what an ordinary heap may gather this one may. */
  const share = (): number => Math.max(1, heapThen / usualHeap)

  function collect(): void {
    const isUrgent = planned === 'soon' || planned === 'grown'
    planned = undefined
    stop = nothing
    givenSince = 0
    collectedAt = clock.now()
    const collected = unreleased
    const bytes = unreleasedBytes
    unreleased = []
    const done = (): void => {
      unreleasedBytes -= bytes
      for (const release of collected) release()
      heapThen = heapBytes()
      leastHeap = Math.min(leastHeap, heapThen)
      leastBuffers = Number.POSITIVE_INFINITY
      isCollecting = false
    }
    isCollecting = true
    if (!isUrgent && (busy < idlePart || collectedAt >= shrunkAt + stopEveryMs)) {
      shrunkAt = collectedAt
      shrink()
      return done()
    }
    collectAll(done)
    // Bytes that were still in use are collected when it is quiet; beside a large heap, once enough of them have been given back.
    if (isUrgent && share() === 1) plan('quiet')
  }

  function allowGrowth(heap: number): void {
    const { least, most } = growthPercent
    // Told each time: another gateway of the process, which has ended, may have set it back.
    letGrow(Math.max(least, Math.min(most, Math.round((100 * growthBytes) / heap))))
  }

  /** V8 keeps what a burst of calls made it take, for as long as nothing presses it. */
  function look(): void {
    stopLooking = clock.after(lookEveryMs, look)
    busy = busyPart()
    const heap = heapBytes()
    if (heapThen === 0) heapThen = heap
    allowGrowth(heap)
    leastHeap = Math.min(leastHeap, heap)
    if (busy >= calmPart) calmSince = clock.now()
    const calmFor = clock.now() - Math.max(calmSince, collectedAt)
    if (calmFor < calmMs || heap < leastHeap + worthGivingBack * share()) return
    stop()
    // What is left after it is what the process needs now.
    leastHeap = Number.POSITIVE_INFINITY
    collect()
  }

  /** Looks for buffers that no collection of what lives short will free. One of everything takes a buffer of its own meanwhile. */
  function measureBuffers(): void {
    stopMeasuring = undefined
    if (isCollecting) return
    const bytes = bufferBytes()
    leastBuffers = Math.min(leastBuffers, bytes)
    if (bytes > leastBuffers + grown * share()) plan('grown')
  }

  function plan(when: keyof typeof betweenMs): void {
    if (planned !== undefined && urgency[planned] >= urgency[when]) return
    stop()
    planned = when
    const wait = collectedAt + betweenMs[when] - clock.now()
    stop = clock.after(Math.max(when === 'quiet' ? settleMs : 0, wait), collect)
  }

  allowGrowth(heapBytes())
  return {
    taken(bytes) {
      takenSince += bytes
      // While everything is collected in steps, V8 would make one of all that is left of them.
      if (takenSince < takenBetween || isCollecting) return
      takenSince = 0
      collectYoung()
      stopMeasuring ??= clock.after(freeingMs, measureBuffers)
    },
    given(bytes, release) {
      givenSince += bytes
      const gathered = givenSince / share()
      if (gathered < givenBefore.soon || unreleasedBytes + bytes > mostUnreleased) release()
      else {
        unreleased.push(release)
        unreleasedBytes += bytes
      }
      if (gathered >= givenBefore.quiet) plan(gathered < givenBefore.soon ? 'quiet' : 'soon')
    },
    close() {
      stop()
      stopLooking()
      stopMeasuring?.()
      letGrow(0)
    },
  }
}

function nothing(): void {}
