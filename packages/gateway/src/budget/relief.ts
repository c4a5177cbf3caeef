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
  /** Collects all garbage, within some tens of milliseconds. */
  readonly collectAll: () => void
  readonly clock: Clock
}

/** Bytes that are taken between two collections of what lives short. */
const takenBetween = 16 * 1024 * 1024
/** Bytes given back after which everything is collected soon, and after which it is once it is quiet. */
const givenBefore = { soon: 48 * 1024 * 1024, quiet: 24 * 1024 * 1024 }
/** Most garbage that others may not have before it is collected, in bytes: a project alone must not be refused for its own garbage. */
const mostUnreleased = 48 * 1024 * 1024
/** Least time between two collections of everything, in ms. */
const betweenMs = { soon: 1_000, quiet: 15_000 }
/** Time until what is quiet is collected, in ms: what follows at once is collected with it. */
const settleMs = 2_000

/** Creates the relief of a process. */
export function createRelief({ collectYoung, collectAll, clock }: ReliefOptions): Relief {
  let takenSince = 0
  let givenSince = 0
  let collectedAt = Number.NEGATIVE_INFINITY
  let planned: 'soon' | 'quiet' | undefined
  let unreleased: (() => void)[] = []
  let unreleasedBytes = 0
  let stop = nothing

  function collect(): void {
    const isBusy = planned === 'soon'
    planned = undefined
    stop = nothing
    givenSince = 0
    collectedAt = clock.now()
    collectAll()
    const released = unreleased
    unreleased = []
    unreleasedBytes = 0
    for (const release of released) release()
    // Bytes that were still in use are collected when it is quiet.
    if (isBusy) plan('quiet')
  }

  function plan(when: 'soon' | 'quiet'): void {
    if (planned === when || planned === 'soon') return
    stop()
    planned = when
    const wait = collectedAt + betweenMs[when] - clock.now()
    stop = clock.after(Math.max(when === 'soon' ? 0 : settleMs, wait), collect)
  }

  return {
    taken(bytes) {
      takenSince += bytes
      if (takenSince < takenBetween) return
      takenSince = 0
      collectYoung()
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
    close: () => stop(),
  }
}

function nothing(): void {}
