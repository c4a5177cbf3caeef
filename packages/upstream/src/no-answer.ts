import { RpcError, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { AttemptOutcome } from './attempt-outcome.ts'
import { type FailureKind, isAboutKey, isFault, tally, wordsOf } from './health/failure-kind.ts'
import type { Candidate } from './selection/candidate.ts'
import type { SelectionCall } from './selection/order.ts'
import type { ExclusionReason, Selection } from './selection/selection.ts'

interface Failure {
  readonly kind: FailureKind
  /** Present unless the upstream said itself that it cannot serve the call. */
  readonly why: RpcError | undefined
  readonly retryAfterMs: number | undefined
}

const unasked = new WeakSet<object>()

/** Whether a call has ended by an error of a pool's without an upstream having been asked. */
export const wasUnasked = (why: RpcError): boolean => unasked.has(why)

type Refusal = AttemptOutcome & { readonly kind: 'refusal' }

/** Says how much a refusal is an answer: 2: it is about the call; 1: about the upstream; 0: another upstream may have the method. */
function worthOf({ verdict }: Refusal): number {
  if (verdict === undefined || aboutTheCall.has(verdict.kind)) return 2
  return verdict.kind === 'method_missing' ? 0 : 1
}
const aboutTheCall = new Set<FailureKind>(['lagging', 'pruned', 'range_too_large'])

/** Collects how the upstreams failed that one call has asked, and says what its caller gets if none answers. */
export class NoAnswer {
  /** Present where those that are left had no free slot. */
  busy: RpcError | undefined
  #refusal: Refusal | undefined
  readonly #failures = new Map<Candidate, Failure>()

  refused(candidate: Candidate, refusal: Refusal): void {
    const { verdict } = refusal
    const isForCallers = verdict === undefined || !isAboutKey(verdict.kind)
    if (isForCallers && (this.#refusal === undefined || worthOf(refusal) > worthOf(this.#refusal)))
      this.#refusal = refusal
    if (verdict !== undefined)
      this.#add(candidate, { kind: verdict.kind, why: undefined, retryAfterMs: verdict.retryAfterMs })
  }

  failed(candidate: Candidate, kind: FailureKind, why: RpcError): void {
    this.#add(candidate, { kind, why, retryAfterMs: why.retryAfterMs })
  }

  /** Upstreams that have failed, but for those that were behind: these catch up by themselves. */
  get lasting(): readonly Candidate[] {
    return [...this.#failures].filter(([, { kind }]) => kind !== 'lagging').map(([candidate]) => candidate)
  }

  /** Counts an upstream that has not answered in time. */
  silent(candidate: Candidate): void {
    this.#add(candidate, { kind: 'timeout', why: undefined, retryAfterMs: undefined })
  }

  #add(candidate: Candidate, failure: Failure): void {
    // The last failure comes last, also in a second round.
    this.#failures.delete(candidate)
    this.#failures.set(candidate, failure)
  }

  /** The first refusal that is about the call: it stands where nobody has a better answer. */
  get honestRefusal(): RpcResponse | undefined {
    const refusal = this.#refusal
    return refusal !== undefined && worthOf(refusal) === 2 ? refusal.response : undefined
  }

  /** The words of an upstream that does not have the write, though it may have taken it. */
  get absent(): RpcResponse | undefined {
    return this.#refusal?.write === 'absent' ? this.#refusal.response : undefined
  }

  /** Whether another round may go better: several have failed, and not all of them because of the call. */
  get mayPass(): boolean {
    return this.#failures.size > 1 && [...this.#failures.values()].some(({ kind }) => isFault(kind))
  }

  /**
   * Returns the words of an upstream without the method, where all that have answered lack it and no other one is known to have it; of a method in
   * no table the words that are remembered. An upstream that is away is no outage for a method that nobody is known to have.
   */
  missingMethod(selection: Selection, call: SelectionCall): RpcResponse | undefined {
    const refusal = this.#refusal
    if (refusal !== undefined && worthOf(refusal) > 0) return undefined
    if (refusal === undefined && !selection.trials.isLacked(call)) return undefined
    const { method } = call.request
    const isHad = selection.candidates.some((candidate) => {
      if (this.#failures.get(candidate)?.kind === 'method_missing' || !candidate.serves(method)) return false
      const reason = selection.reason(candidate, call)
      return reason === undefined || !lacking.has(reason)
    })
    if (isHad) return undefined
    if (refusal === undefined) return { error: selection.trials.refusalOf(call) }
    if (call.isUnknown === true && refusal.response.error !== undefined) {
      selection.trials.refused(call, refusal.response.error)
    }
    return refusal.response
  }

  /**
   * Returns the best refusal that is for callers where all have refused, else an error. The only upstream's own failure says it best; several are summed up.
   * `selection`: says of `call` what speaks against an upstream that was not asked; `isUndone`: no upstream that failed can have
   * done what must not be done twice.
   */
  end(
    selection: Selection,
    call: SelectionCall,
    isFalse: ((why: RpcError) => boolean) | undefined,
    isUndone = false,
  ): RpcResponse | RpcError {
    const missing = isUndone ? this.missingMethod(selection, call) : undefined
    if (missing !== undefined) return missing
    const failures = [...this.#failures.values()]
    const errors = failures.flatMap(({ why }) => why ?? [])
    const reasons = this.#reasons(selection, call)
    // What one says of itself is no answer where others are not there, nor is a method that it lacks where they may have it.
    if (this.#refusal !== undefined && errors.length === 0) {
      const areAlike = failures.every(({ kind }) => kind === 'method_missing') && reasons.every((it) => lacking.has(it))
      if (worthOf(this.#refusal) > 0 || areAlike) return this.#refusal.response
    }
    if (this.busy !== undefined && failures.length === 0) return this.busy
    const last = errors.at(-1)
    if (last !== undefined && selection.candidates.length === 1) return last
    return this.unanswered(selection, call, isFalse)
  }

  /** Makes the error that sums up how the upstreams have fared. */
  unanswered(selection: Selection, call: SelectionCall, isFalse: ((why: RpcError) => boolean) | undefined): RpcError {
    const errors = [...this.#failures.values()].flatMap(({ why }) => why ?? [])
    const reasons = this.#reasons(selection, call)
    const isLimited = isAllLimited(
      [...this.#failures.values()].map(({ kind }) => kind),
      reasons,
    )
    const why = new RpcError('unavailable', this.#words(reasons), {
      // Each upstream would have said so.
      httpStatus: isLimited ? 429 : undefined,
      // A false answer says more than an upstream that was not there.
      cause: (isFalse && errors.findLast(isFalse)) ?? errors.at(-1),
      delivery: errors.some(({ delivery }) => delivery === 'unknown') ? 'unknown' : 'not_sent',
      retryAfterMs: this.#retryAfterMs ?? (isLimited ? soonest(selection, call) : undefined),
    })
    if (this.#failures.size === 0) unasked.add(why)
    return why
  }

  /** Returns the error of a call that its deadline ended: `why`, with how those have fared that were asked, if any were. */
  endLate(why: RpcError, selection: Selection, call: SelectionCall): RpcError {
    if (this.#failures.size === 0) return why
    const words = this.#words(this.#reasons(selection, call))
    return new RpcError('timeout', words, { cause: why, retryAfterMs: this.#retryAfterMs })
  }

  /** The reasons against upstreams that have not failed. */
  #reasons(selection: Selection, call: SelectionCall): readonly ExclusionReason[] {
    const others = selection.candidates.filter((candidate) => !this.#failures.has(candidate))
    return others.flatMap((candidate) => selection.reason(candidate, call) ?? [])
  }

  #words(reasons: readonly ExclusionReason[]): string {
    const failures = [...this.#failures.values()]
    const words = [...failures.map(({ kind }) => wordsOf(kind)), ...reasons.map(wordsOfReason)]
    const opening = failures.length === 0 ? 'no upstream can take this call' : 'no upstream answered'
    const reported = [
      ...(words.length === 0 ? [] : [tally(words)]),
      ...(this.busy === undefined ? [] : ['the others busy']),
    ]
    return reported.length === 0 ? opening : `${opening}: ${reported.join(', ')}`
  }

  /** The last time that an upstream asked to wait, in ms. */
  get #retryAfterMs(): number | undefined {
    return [...this.#failures.values()].findLast(({ retryAfterMs }) => retryAfterMs !== undefined)?.retryAfterMs
  }
}

/** Whether each upstream that failed, or was not asked, is rate limited. */
function isAllLimited(kinds: readonly FailureKind[], reasons: readonly ExclusionReason[]): boolean {
  const all = [...kinds, ...reasons.filter((reason) => !lacking.has(reason))]
  return all.length > 0 && all.every((each) => each === 'rate_limited')
}

/** The time until the first of the upstreams that are left alone may be asked again, in ms. */
function soonest({ candidates }: Selection, { now }: SelectionCall): number | undefined {
  const times = candidates.flatMap(({ health }) => health.until(now) ?? [])
  return times.length === 0 ? undefined : Math.min(...times) - now
}

/** Reasons against upstreams that would not answer the call if they were well. */
const lacking = new Set<ExclusionReason>([
  'method_missing',
  'method_untried',
  'method_denied',
  'cannot_push',
  'group',
  'api_version',
  'wrong_chain',
])

const reasonWords: Partial<Record<ExclusionReason, string>> = {
  unasked: 'not known yet',
  budget_spent: 'out of quota',
  quota_spent: 'out of quota',
  unauthorized: 'refused our key',
  method_missing: 'without the method',
  method_untried: 'not tried for the method',
  method_denied: 'not for this method',
  group: 'of another group',
  chain_untold: 'not known to be of this chain',
  needs_block: 'without the block',
  not_chosen: 'not chosen for it',
  pruned: 'without so old a block',
  api_version: 'without the API version',
  half_open: 'recovering',
}

const wordsOfReason = (reason: ExclusionReason): string => reasonWords[reason] ?? reason.replaceAll('_', ' ')
