import type { Clock } from '@wayleave/jsonrpc-core'

/**
 * Has garbage collected when bytes of the budget have come and gone: V8 sees little of what buffers hold outside its heap, and frees it
 * late. Garbage beyond a bound is a part of the budget until it is collected.
 */
export interface Relief {
  taken(bytes: number): void
  /** Takes note of bytes that nobody holds any more; calls `release` once others may have them. */
  given(bytes: number, release: () => void): void
  close(): void
}

export interface ReliefOptions {
  /** Collects garbage of short life, within about a millisecond. */
  readonly collectYoung: () => void
  /** Collects all garbage, a little at a time; calls back when that is done. */
  readonly collectAll: (done: () => void) => void
  /** Collects all garbage at once, within some tens of milliseconds, and gives the memory back to the system. */
  readonly shrink: () => void
  /** The size of V8's heap, with what is free in it, in bytes. */
  readonly heapBytes: () => number
  /** What buffers have outside of V8's heap, garbage included, in bytes. */
  readonly bufferBytes: () => number
  /** The part of the time since the last question in which the process was busy: 0 to 1. */
  readonly busyPart: () => number
  readonly clock: Clock
}

/** Bytes that are taken between two collections of what lives short. */
const takenBetween = 16 * 1024 * 1024
/** Bytes given back after which everything is collected soon, and after which it is once it is quiet. */
const givenBefore = { soon: 48 * 1024 * 1024, quiet: 24 * 1024 * 1024 }
/** Most garbage that others may not have before it is collected, in bytes: a project alone must not be refused for its own garbage. */
const mostUnreleased = 48 * 1024 * 1024
/**
 * Growth of buffers after which everything is collected: those that waited for a slow caller through two collections of what lives short are
 * none of these any more once they are garbage.
 */
const grown = 16 * 1024 * 1024
/** Least time between two collections of everything, in ms. */
const betweenMs = { soon: 1_000, grown: 2_000, quiet: 15_000 }
/** What is planned gives way to what is higher. */
const urgency = { soon: 2, grown: 1, quiet: 0 }
/** Time until what is quiet is collected, in ms: what follows at once is collected with it. */
const settleMs = 2_000

/** Time between two looks at the heap, in ms; growth after which a calm process gives memory back, in bytes; calm is less than this. */
const lookEveryMs = 5_000
const worthGivingBack = 32 * 1024 * 1024
const calmPart = 0.5

/** Creates the relief of a process. */
export function createRelief(options: ReliefOptions): Relief {
  const { collectYoung, collectAll, shrink, heapBytes, bufferBytes, busyPart, clock } = options
  let takenSince = 0
  let givenSince = 0
  let collectedAt = Number.NEGATIVE_INFINITY
  let planned: keyof typeof betweenMs | undefined
  let unreleased: (() => void)[] = []
  let unreleasedBytes = 0
  let stop = nothing
  let leastHeap = Number.POSITIVE_INFINITY
  /** What buffers had after everything was collected. */
  let leftBytes = 0
  let stopLooking = clock.after(lookEveryMs, look)

  function collect(): void {
    const isBusy = planned === 'soon' || planned === 'grown'
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
      leastHeap = Math.min(leastHeap, heapBytes())
      leftBytes = bufferBytes()
    }
    if (isBusy) {
      collectAll(done)
      // Bytes that were still in use are collected when it is quiet.
      plan('quiet')
    } else {
      shrink()
      done()
    }
  }

  /** V8 keeps what a burst of calls made it take, for as long as nothing presses it. */
  function look(): void {
    stopLooking = clock.after(lookEveryMs, look)
    const isCalm = busyPart() < calmPart
    const heap = heapBytes()
    leastHeap = Math.min(leastHeap, heap)
    if (heap < leastHeap + worthGivingBack || !isCalm || clock.now() < collectedAt + betweenMs.quiet) return
    stop()
    // What is left after it is what the process needs now.
    leastHeap = Number.POSITIVE_INFINITY
    collect()
  }

  function plan(when: keyof typeof betweenMs): void {
    if (planned !== undefined && urgency[planned] >= urgency[when]) return
    stop()
    planned = when
    const wait = collectedAt + betweenMs[when] - clock.now()
    stop = clock.after(Math.max(when === 'quiet' ? settleMs : 0, wait), collect)
  }

  return {
    taken(bytes) {
      takenSince += bytes
      if (takenSince < takenBetween) return
      takenSince = 0
      collectYoung()
      if (bufferBytes() > leftBytes + grown) plan('grown')
    },
    given(bytes, release) {
      givenSince += bytes
      if (givenSince < givenBefore.soon || unreleasedBytes + bytes > mostUnreleased) release()
      else {
        unreleased.push(release)
        unreleasedBytes += bytes
      }
      if (givenSince >= givenBefore.quiet) plan(givenSince < givenBefore.soon ? 'quiet' : 'soon')
    },
    close() {
      stop()
      stopLooking()
    },
  }
}

function nothing(): void {}
