import type { HealthReason } from '../health/upstream-health.ts'
import type { Candidate } from './candidate.ts'
import { guardedOrder, type PolicyFault } from './guarded-order.ts'
import { createMethodTrials, type MethodTrials } from './method-trials.ts'
import { isInGroups, primariesFirst, ranked, type SelectionCall, type UpstreamOrder } from './order.ts'
import { powerOfTwo } from './power-of-two.ts'
import { rendezvous } from './rendezvous.ts'

/**
 * Why an upstream is out for all calls. By the host: `wrong_chain`, `behind`, `ahead`, `silent`, `unasked` (its chain is not known yet).
 */
export type Exclusion =
  | 'cordoned'
  | 'wrong_chain'
  | 'behind'
  | 'ahead'
  | 'silent'
  | 'unasked'
  | 'budget_spent'
  | HealthReason

/**
 * Why an upstream is out for one call. By the host: `needs_block`, `not_chosen`, `api_version`, `pruned` (it no longer has the block),
 * `range_too_large`, `range_doubtful`, `chain_untold` (another one, whose chain is known, can serve it). `method_untried`: a fallback that may
 * not be tried now for a method that is in no table.
 */
export type CallReason =
  | 'cannot_push'
  | 'group'
  | 'method_denied'
  | 'method_missing'
  | 'method_untried'
  | 'budget_rate'
  | 'needs_block'
  | 'not_chosen'
  | 'api_version'
  | 'pruned'
  | 'chain_untold'
  | 'range_too_large'
  | 'range_doubtful'

export type ExclusionReason = Exclusion | CallReason

/** The host's reason against an upstream: what it is told by heads. */
export type HostReason = Exclude<Exclusion, HealthReason | 'cordoned' | 'budget_spent'>

/**
 * Reasons that leave an upstream as a last resort, the least bad first: it may answer, and cannot do harm. Upstreams that are out for
 * another reason are never asked.
 */
const lastResorts: readonly ExclusionReason[] = [
  'half_open',
  'range_doubtful',
  'suspected',
  'cooling_down',
  'rate_limited',
  'quota_spent',
  'unauthorized',
  'method_missing',
  'false_answers',
  'pruned',
]

export interface SelectionOptions {
  readonly candidates: readonly Candidate[]
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** The operator's own policy. Default: {@link powerOfTwo} over {@link primariesFirst}. */
  readonly order?: UpstreamOrder | undefined
  /** Called with each fault of `order`, and with the error that it has thrown: the default policy decides then. */
  readonly onPolicyFault?: ((fault: PolicyFault, thrown?: unknown) => void) | undefined
  /** Whether a candidate is asked before others of its tier; for the default policy. */
  readonly prefers?: ((candidate: Candidate, call: SelectionCall) => boolean) | undefined
  /** Blocks by which a candidate is behind, for the default policy. */
  readonly lagOf?: ((candidate: Candidate) => number) | undefined
  /** The host's reason to leave a candidate alone. Called before each call. */
  readonly exclusionOf?: ((candidate: Candidate, now: number) => HostReason | undefined) | undefined
  /** The host's reason why a candidate cannot take a call. */
  readonly excludes?: ((candidate: Candidate, call: SelectionCall) => CallReason | undefined) | undefined
  /** Called when a candidate's exclusion has changed; undefined: it is asked like the others. */
  readonly onExclusion?: (candidate: Candidate, exclusion: Exclusion | undefined, before: Exclusion | undefined) => void
}

/** Chooses upstreams for calls. */
export interface Selection {
  readonly candidates: readonly Candidate[]
  /** The trials of methods that are in no table. */
  readonly trials: MethodTrials
  /** Returns those that may be asked for a call, first choice first, last resorts last. */
  order(call: SelectionCall): readonly Candidate[]
  /** Says why a candidate is not asked like the others, for any call. */
  exclusion(candidate: Candidate, now: number): Exclusion | undefined
  /** Says why a candidate is not asked like the others, for this call. */
  reason(candidate: Candidate, call: SelectionCall): ExclusionReason | undefined
  /** Whether a candidate may be asked for this call, if only as a last resort. */
  mayAsk(candidate: Candidate, call: SelectionCall): boolean
  /** Leaves the upstream of a name alone from now on, or no longer where `why` is undefined; false where there is none. */
  cordon(name: string, why: string | undefined): boolean
}

/** Creates the selection of one pool. */
export function createSelection(options: SelectionOptions): Selection {
  const { candidates, random, lagOf, prefers, exclusionOf, excludes, onExclusion } = options
  const byScore = rendezvous(powerOfTwo({ random, ...(lagOf && { lagOf }) }))
  const fromScore = prefers === undefined ? byScore : ranked((it, call) => (prefers(it, call) ? 0 : 1), byScore)
  const byDefault = primariesFirst(fromScore)
  const order = options.order === undefined ? byDefault : guardedOrder(options.order, byDefault, options.onPolicyFault)
  const exclusions = new Map<Candidate, Exclusion>()
  const trials = createMethodTrials(candidates)

  /** The reasons that forbid a candidate for all calls. */
  function forbidden(candidate: Candidate, now: number): Exclusion | undefined {
    if (candidate.cordoned !== undefined) return 'cordoned'
    const byHost = exclusionOf?.(candidate, now)
    if (byHost !== undefined) return byHost
    return candidate.spend?.isSpent(now) === true ? 'budget_spent' : undefined
  }

  function exclusion(candidate: Candidate, now: number): Exclusion | undefined {
    const reason = forbidden(candidate, now) ?? candidate.health.exclusion(now)
    note(candidate, reason)
    return reason
  }

  /** Reports an exclusion that has changed. */
  function note(candidate: Candidate, reason: Exclusion | undefined): void {
    if (reason === undefined && exclusions.size === 0) return
    const before = exclusions.get(candidate)
    if (before === reason) return
    if (reason === undefined) exclusions.delete(candidate)
    else exclusions.set(candidate, reason)
    onExclusion?.(candidate, reason, before)
  }

  function unfit(candidate: Candidate, call: SelectionCall): CallReason | undefined {
    const { endpoint, allows, spend } = candidate
    const { method } = call.request
    if (call.opensSubscription === true && !endpoint.carriesSubscriptions) return 'cannot_push'
    if (!isInGroups(candidate, call)) return 'group'
    if (allows !== undefined && !allows(method)) return 'method_denied'
    if (call.isUnknown === true && trials.isBarred(candidate, call)) return 'method_untried'
    if (spend !== undefined && !spend.affords(method, call.now)) return 'budget_rate'
    return excludes?.(candidate, call)
  }

  function reasonOf(candidate: Candidate, call: SelectionCall): ExclusionReason | undefined {
    const { health } = candidate
    const reason = exclusion(candidate, call.now)
    // Health says last resort at most; another reason may forbid this call altogether.
    if (reason !== undefined && !lastResorts.includes(reason)) return reason
    const forCall = unfit(candidate, call)
    // A reason that only puts it last takes nothing away from its health's own.
    if (forCall !== undefined && (reason === undefined || !lastResorts.includes(forCall))) return forCall
    // An upstream without so old a block is the least likely to answer, but for one that said when it will.
    if (forCall === 'pruned' && isLastResort(candidate, reason!, call)) return forCall
    if (call.isUnknown === true && trials.wasTried(candidate, call)) return 'method_missing'
    if (reason === 'half_open' && health.inFlight < mostTrials) return undefined
    if (reason !== undefined || call.isUnknown === true) return reason
    return health.lacks(call.request.method, call.now) ? 'method_missing' : undefined
  }

  /**
   * Whether a candidate that is out may be asked when nothing else answers. Asking in spite of a time that it told would be rude, and for a
   * method that others lack in vain.
   */
  function isLastResort(candidate: Candidate, reason: ExclusionReason, call: SelectionCall): boolean {
    if (!lastResorts.includes(reason) || (reason === 'rate_limited' && candidate.health.isHoldOffReported)) return false
    return call.isUnknown !== true || candidate.serves(call.request.method) || !trials.isLacked(call)
  }

  return {
    candidates,
    trials,
    exclusion,
    reason: reasonOf,
    mayAsk(candidate, call) {
      const reason = reasonOf(candidate, call)
      return reason === undefined || isLastResort(candidate, reason, call)
    },
    order(call) {
      let eligible: Candidate[] | undefined
      let resorts: (readonly [candidate: Candidate, severity: number])[] | undefined
      for (let i = 0; i < candidates.length; i++) {
        const candidate = candidates[i]!
        const reason = reasonOf(candidate, call)
        if (reason === undefined) eligible?.push(candidate)
        else {
          eligible ??= candidates.slice(0, i)
          if (isLastResort(candidate, reason, call)) (resorts ??= []).push([candidate, lastResorts.indexOf(reason)])
        }
      }
      const ordered = order(eligible ?? candidates, call)
      if (resorts === undefined) return ordered
      resorts.sort(([, a], [, b]) => a - b)
      return [...ordered, ...resorts.map(([candidate]) => candidate)]
    },
    cordon(name, why) {
      const named = candidates.filter(({ endpoint, health }) => endpoint.name === name || health.name === name)
      for (const candidate of named) candidate.cordoned = why
      return named.length > 0
    },
  }
}

/** Calls at once that try whether an upstream has recovered. */
const mostTrials = 2
