import { type BreakerState, type CircuitBreakerOptions, createCircuitBreaker } from '@wayleave/jsonrpc-core'
import {
  addLatency,
  addOutcome,
  addUnanswered,
  type ClassHealth,
  createClassHealth,
  leastPatienceMs,
  type MethodClass,
} from './class-health.ts'
import { createDistrust } from './distrust.ts'
import { type FailureKind, isFault, wasSilent } from './failure-kind.ts'
import { createHoldOff, type HoldOffReason } from './hold-off.ts'
import { createMissingMethods } from './missing-methods.ts'
import { createServedMethods } from './served-methods.ts'

/** Why an upstream is asked only as a last resort, if at all. */
export type HealthReason = 'suspected' | 'cooling_down' | 'half_open' | 'false_answers' | HoldOffReason

/** A call on its way to an upstream. */
export interface HealthTicket {
  readonly since: number
  readonly class: ClassHealth
  isOpen: boolean
}

/** Further facts of a failure. */
export interface FailureDetails {
  /** Time that the upstream asked to wait, in ms. */
  readonly retryAfterMs?: number | undefined
  /** The method, for `method_missing`. */
  readonly method?: string | undefined
}

/**
 * The record of how one upstream has fared, over all its endpoints. All times are ms on one monotonic clock. Calls tell it how they
 * ended; a probe in the background decides when a suspected or a failed one may be asked again.
 */
export interface UpstreamHealth {
  readonly name: string
  /** Calls on their way. */
  readonly inFlight: number
  readonly breaker: BreakerState
  /** Whether the time of a hold-off is the one that the upstream asked for. */
  readonly isHoldOffReported: boolean
  /** Records that a call is sent. */
  begin(methodClass: MethodClass, now: number): HealthTicket
  /** Records an answer; `isVerified`: one that was checked against a proof; `served`: the method, where the answer is a result. */
  succeeded(ticket: HealthTicket, now: number, isVerified?: boolean, served?: string): void
  /** Records a failure, also of a stream whose beginning counted as an answer. */
  failed(ticket: HealthTicket, kind: FailureKind, now: number, details?: FailureDetails): void
  /** Records that a call was given up before it was answered: its caller has left, or another upstream was faster. */
  abandoned(ticket: HealthTicket, now: number): void
  /** Records the outcome of a probe. */
  probed(hasAnswered: boolean, now: number): void
  /** Asks again for the probe that is due, if one is: whoever was asked before has ended. */
  renewProbe(now: number): void
  /** Says why calls are kept away, if they are. Silence is noticed here: a probe is then asked for. */
  exclusion(now: number): HealthReason | undefined
  /** The time until which it is kept away, as far as it is known. */
  until(now: number): number | undefined
  /** Whether it lacks a method, as far as is remembered. */
  lacks(method: string, now: number): boolean
  /** Whether it has answered a method, and has not said since that it lacks it. */
  serves(method: string): boolean
  /** The record of a class of methods; undefined before its first call. */
  of(methodClass: MethodClass): ClassHealth | undefined
}

export interface UpstreamHealthOptions extends Pick<CircuitBreakerOptions, 'cooldownMs' | 'maxCooldownMs'> {
  /** The name for logs and metrics: never a URL. */
  readonly name: string
  /** Time of distrust after the first false answer, in ms; each further one doubles it, up to 64 times. Default 60,000. */
  readonly distrustMs?: number
  /**
   * Asks for a probe in so many ms; its outcome is told to `probed`. Default: none, so that a suspected upstream is asked again once a
   * call was answered, and a failed one after its cooldown.
   */
  readonly onProbeDue?: (health: UpstreamHealth, inMs: number) => void
}

/** Classes that are told apart; the host names only a few. */
const mostClasses = 16
/** Calls in a row that were given up without an answer make an upstream suspected. */
const mostUnanswered = 5
/** Probes in a row that a suspected upstream may fail. */
const mostFailedProbes = 2
const holdOffs: Partial<Record<FailureKind, HoldOffReason>> = {
  rate_limited: 'rate_limited',
  quota: 'quota_spent',
  unauthorized: 'unauthorized',
}

/** Creates the record of an upstream that has not been asked. */
export function createUpstreamHealth(options: UpstreamHealthOptions): UpstreamHealth {
  const { name, onProbeDue } = options
  const classes = new Map<MethodClass, ClassHealth>()
  /** The values of `classes`, for a loop that is run before each call. */
  const all: ClassHealth[] = []
  const breaker = createCircuitBreaker(options)
  const holdOff = createHoldOff()
  const distrust = createDistrust(options.distrustMs)
  const missing = createMissingMethods()
  const servedMethods = createServedMethods()
  /** The class that was looked up last: most calls are of one. */
  let lastClass: MethodClass | undefined
  let lastRecord: ClassHealth | undefined
  let inFlight = 0
  let unanswered = 0
  let isSuspected = false
  let failedProbes = 0
  /** Before this time no silence can have become suspicious. */
  let silentFrom = Number.NEGATIVE_INFINITY
  /** Whether anything may speak against it: usually nothing does, and nothing else is looked at. */
  let isTroubled = false

  function of(methodClass: MethodClass): ClassHealth | undefined {
    if (methodClass === lastClass) return lastRecord
    const record = classes.get(methodClass)
    if (record !== undefined) {
      lastClass = methodClass
      lastRecord = record
    }
    return record
  }

  function recordOf(methodClass: MethodClass, now: number): ClassHealth {
    const known = of(methodClass)
    if (known !== undefined) return known
    if (all.length === mostClasses) return all[0]!
    const created = createClassHealth(now)
    classes.set(methodClass, created)
    all.push(created)
    return created
  }

  function end(ticket: HealthTicket): void {
    ticket.isOpen = false
    ticket.class.inFlight--
    inFlight--
  }

  /** Records a sign of life. */
  function heard(now: number): void {
    unanswered = 0
    failedProbes = 0
    isSuspected = false
    owedFrom(now)
  }

  /** Ends the silence: whatever is still on its way is owed from here on. */
  function owedFrom(now: number): void {
    for (const it of all) it.owedSince = it.inFlight > 0 ? now : Number.NaN
  }

  function isSilent(now: number): boolean {
    if (now < silentFrom) return false
    // Whatever is sent after this has at least so much time.
    let from = now + leastPatienceMs
    for (const it of all) {
      if (it.inFlight === 0) continue
      const until = it.owedSince + it.patienceMs
      if (until < now) return true
      if (until < from) from = until
    }
    silentFrom = from
    return false
  }

  function suspect(): void {
    isTroubled = true
    isSuspected = true
    onProbeDue?.(health, 0)
  }

  function opened(now: number): void {
    isTroubled = true
    isSuspected = false
    unanswered = 0
    failedProbes = 0
    onProbeDue?.(health, breaker.until - now)
  }

  const health: UpstreamHealth = {
    name,
    get inFlight() {
      return inFlight
    },
    get breaker() {
      return breaker.state
    },
    get isHoldOffReported() {
      return holdOff.isReported
    },
    begin(methodClass, now) {
      const it = recordOf(methodClass, now)
      // Calls that were given up leave their silence behind, unless it is long ago.
      if (it.inFlight === 0 && !(now - it.owedSince <= it.patienceMs)) it.owedSince = now
      it.inFlight++
      inFlight++
      return { since: now, class: it, isOpen: true }
    },
    succeeded(ticket, now, isVerified = false, served = undefined) {
      if (!ticket.isOpen) return
      if (served !== undefined) servedMethods.add(served)
      end(ticket)
      heard(now)
      addOutcome(ticket.class, false, false, now)
      addLatency(ticket.class, now - ticket.since)
      breaker.succeeded(ticket.since, now)
      if (isVerified) distrust.verified()
    },
    failed(ticket, kind, now, details = {}) {
      isTroubled = true
      if (ticket.isOpen) end(ticket)
      if (!wasSilent(kind)) heard(now)
      // A connection that fails at once is no silence; the breaker counts it.
      else if (kind === 'unreachable') owedFrom(now)
      const fault = isFault(kind)
      addOutcome(ticket.class, fault, kind === 'lagging', now)
      if (kind === 'timeout') addUnanswered(ticket.class, now - ticket.since)
      const { retryAfterMs, method } = details
      const reason = holdOffs[kind]
      if (reason !== undefined) holdOff.refused(reason, ticket.since, now, retryAfterMs)
      else if (kind === 'overloaded' && retryAfterMs !== undefined)
        holdOff.refused('rate_limited', ticket.since, now, retryAfterMs)
      else if (kind === 'false_answer') distrust.answeredFalsely(ticket.since, now)
      else if (kind === 'method_missing' && method !== undefined) {
        missing.add(method, now)
        servedMethods.delete(method)
      }
      if (!fault) return
      const before = breaker.until
      breaker.failed(ticket.since, now)
      if (breaker.until !== before) opened(now)
    },
    abandoned(ticket, now) {
      if (!ticket.isOpen) return
      end(ticket)
      const it = ticket.class
      addUnanswered(it, now - ticket.since)
      // A caller who leaves early says nothing of the upstream.
      if (now - ticket.since < Math.min(it.usualMs, it.patienceMs)) return
      if (++unanswered >= mostUnanswered && !isSuspected) suspect()
    },
    probed(hasAnswered, now) {
      if (hasAnswered) {
        heard(now)
        if (breaker.state === 'open') breaker.halfOpen(now)
      } else if (isSuspected && ++failedProbes < mostFailedProbes) {
        onProbeDue?.(health, 0)
      } else if (breaker.state !== 'closed' || isSuspected) {
        // Calls may have opened it while the probe was on its way.
        if (breaker.state !== 'open' || breaker.until <= now) breaker.open(now)
        opened(now)
      }
    },
    renewProbe(now) {
      if (breaker.state === 'open') onProbeDue?.(health, Math.max(0, breaker.until - now))
      else if (isSuspected) onProbeDue?.(health, 0)
    },
    exclusion(now) {
      if (!isTroubled && (inFlight === 0 || !isSilent(now))) return undefined
      isTroubled = true
      if (distrust.until > now) return 'false_answers'
      if (breaker.state !== 'closed') {
        if (breaker.state === 'open' && onProbeDue === undefined && breaker.until <= now) breaker.halfOpen(now)
        return breaker.state === 'open' ? 'cooling_down' : 'half_open'
      }
      if (holdOff.until > now) return holdOff.reason
      if (!isSuspected) {
        if (inFlight === 0 || !isSilent(now)) {
          isTroubled = false
          return undefined
        }
        suspect()
      } else if (onProbeDue === undefined && inFlight === 0) {
        heard(now)
        return undefined
      }
      return 'suspected'
    },
    until(now) {
      const until = Math.max(distrust.until, holdOff.until, breaker.state === 'open' ? breaker.until : now)
      return until > now ? until : undefined
    },
    lacks: (method, now) => missing.has(method, now),
    serves: servedMethods.has,
    of,
  }
  return health
}
