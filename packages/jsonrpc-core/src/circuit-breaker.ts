/** `open`: not asked. `half_open`: a few calls try whether it has recovered. */
export type BreakerState = 'closed' | 'open' | 'half_open'

/** Decides from the outcomes of calls whether a peer is dead, and when it is back. All times are ms on one clock. */
export interface CircuitBreaker {
  readonly state: BreakerState
  /** The end of the cooldown of an open breaker. */
  readonly until: number
  /** Failures in a row. */
  readonly failures: number
  /** Records a success of a call begun at `since`. */
  succeeded(since: number, now: number): void
  /** Records a failure of a call begun at `since`. */
  failed(since: number, now: number): void
  /** Says whether a call may be made: always unless it is open; then once after each cooldown, and the next one begins. */
  mayCall(now: number): boolean
  /** Opens at once. */
  open(now: number): void
  /** Lets a few calls try. */
  halfOpen(now: number): void
}

export interface CircuitBreakerOptions {
  /** The first cooldown, in ms; each further one is twice as long. Default 2,000. */
  readonly cooldownMs?: number
  /** The longest cooldown, in ms. Default 60,000. */
  readonly maxCooldownMs?: number
  /** Fewest failures in a row that open it. Default 4. */
  readonly failures?: number
  /** Successes in a row that close it again. Default 5. */
  readonly trials?: number
}

/** Most failures in a row that are needed to open it. */
const most = 12
/** It opens at a row of failures that the error rate so far explains so rarely. */
const unlikely = Math.log(1e-7)
/** Failures over this time need to be less unlikely: an upstream that is asked once a second is left after two. */
const longRunMs = 1_000
const unlikelyInLongRun = Math.log(1e-4)
/** The smallest error rate that is believed. */
const smallestRate = 0.001
/** An outcome weighs so much in the error rate once there are many. */
const smoothing = 1 / 64
/** Closed for so long, the next cooldown is the first again, in ms. */
const forgivenAfterMs = 60_000

/**
 * Creates a closed breaker. It opens when failures follow on one another so often that chance cannot explain it: four do where calls
 * hardly ever fail, seven where every tenth does. So an upstream that dies is left at once, and one that fails now and then is kept.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  const { cooldownMs = 2_000, maxCooldownMs = 60_000, failures: fewest = 4, trials = 5 } = options
  let state: BreakerState = 'closed'
  let until = Number.NEGATIVE_INFINITY
  /** When the state began. */
  let changedAt = Number.NEGATIVE_INFINITY
  let openings = 0
  let successes = 0
  let outcomes = 4
  let errorRate = 0
  let rateBefore = 0
  let failures = 0
  let failingSince = 0
  let needed = fewest
  let neededInLongRun = fewest

  function open(now: number): void {
    if (state === 'closed' && now - changedAt >= forgivenAfterMs) openings = 0
    until = now + Math.min(cooldownMs * 2 ** openings, maxCooldownMs)
    openings = Math.min(openings + 1, 30)
    state = 'open'
    changedAt = now
    failures = 0
  }

  function halfOpen(now: number): void {
    state = 'half_open'
    changedAt = now
    successes = 0
    failures = 0
  }

  function weigh(outcome: 0 | 1): void {
    const weight = outcomes < 1 / smoothing ? 1 / ++outcomes : smoothing
    errorRate += weight * (outcome - errorRate)
  }

  return {
    get state() {
      return state
    },
    get until() {
      return until
    },
    get failures() {
      return failures
    },
    succeeded(since, now) {
      failures = 0
      weigh(0)
      if (state === 'closed') return
      // A call begun before the change tells nothing of the time after it.
      if (since < changedAt) return
      if (state === 'open') halfOpen(now)
      if (++successes < trials) return
      state = 'closed'
      changedAt = now
    },
    failed(since, now) {
      if (state !== 'closed') {
        if (state === 'half_open' && since >= changedAt) open(now)
        return
      }
      if (failures++ === 0) {
        failingSince = now
        rateBefore = errorRate
        const rate = Math.log(Math.max(errorRate, smallestRate))
        needed = Math.min(Math.max(Math.ceil(unlikely / rate), fewest), most)
        neededInLongRun = Math.min(Math.max(Math.ceil(unlikelyInLongRun / rate), 2), most)
      }
      weigh(1)
      if (failures < needed && (failures < neededInLongRun || now - failingSince < longRunMs)) return
      // An outage says nothing of how often calls fail by chance.
      errorRate = rateBefore
      open(now)
    },
    mayCall(now) {
      if (state !== 'open') return true
      if (now < until) return false
      open(now)
      return true
    },
    open,
    halfOpen,
  }
}
