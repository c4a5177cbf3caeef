import {
  type Clock,
  isStream,
  type RpcContext,
  RpcError,
  type RpcFork,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Attempt, AttemptOutcome, PoolCall } from './attempt.ts'
import type { CallSlots, Slot } from './call-slots.ts'
import { type Hedging, patienceMs } from './failsafe/hedging.ts'
import type { Overdue } from './failsafe/overdue.ts'
import type { Retries } from './failsafe/retries.ts'
import type { MethodClass } from './health/class-health.ts'
import { type FailureKind, isAboutKey } from './health/failure-kind.ts'
import { noAnswer } from './no-answer.ts'
import type { Candidate } from './selection/candidate.ts'
import type { SelectionCall } from './selection/order.ts'
import type { ExclusionReason, Selection } from './selection/selection.ts'

/** The parts of a pool that a call on its way needs. */
export interface RunParts {
  readonly clock: Clock
  readonly selection: Selection
  readonly slots: CallSlots
  readonly attempt: Attempt
  readonly overdue: Overdue
  readonly hedging: Hedging | undefined
  readonly retries: Retries
  readonly isFalse: ((why: RpcError) => boolean) | undefined
  readonly ready: ((candidate: Candidate, context: RpcContext) => Promise<void> | undefined) | undefined
}

/** Reasons of upstreams that would not answer the call if they could. */
const lacksMethod = new Set<ExclusionReason>([
  'method_missing',
  'method_denied',
  'cannot_push',
  'group',
  'api_version',
  'wrong_chain',
])

const outrun = new RpcError('aborted', 'another upstream was faster')

/** One call on its way: it asks one upstream after another, or beside another, until one answers. */
export class Run implements PoolCall {
  readonly request: RpcRequest
  readonly context: RpcContext
  readonly repeatable: boolean
  readonly class: MethodClass
  attempts = 0
  spare: RpcResponse | undefined
  readonly #parts: RunParts
  readonly #selected: SelectionCall
  readonly #resolve: (response: RpcResponse) => void
  readonly #reject: (why: unknown) => void
  #ordered: readonly Candidate[]
  #left: readonly Candidate[]
  #rounds = 1
  #pending = 0
  #isOver = false
  #forks: Set<RpcFork<RpcContext>> | undefined
  #refusals: (AttemptOutcome & { kind: 'refusal' })[] | undefined
  #failures: { readonly why: RpcError; readonly kind: FailureKind | undefined }[] | undefined

  constructor(
    parts: RunParts,
    call: SelectionCall,
    context: RpcContext,
    repeatable: boolean,
    resolve: (response: RpcResponse) => void,
    reject: (why: unknown) => void,
  ) {
    this.#parts = parts
    this.#selected = call
    this.request = call.request
    this.class = call.class
    this.context = context
    this.repeatable = repeatable
    this.#resolve = resolve
    this.#reject = reject
    this.#ordered = this.#left = parts.selection.order(call)
  }

  /** Asks the next upstream, or ends the call where there is none. */
  next(): void {
    if (this.#left.length === 0) return this.#exhausted()
    // An upstream without a free slot is not waited for while another has one.
    const slot = this.#parts.slots.take(this.#left, this)
    if (slot !== undefined) return this.#take(slot)
    // Beside another attempt nothing is waited for.
    if (this.#pending > 0) return
    this.#parts.slots.wait(this.#left, this).then(
      (later) => this.#take(later),
      (why: RpcError) => {
        if (this.context.cancelled !== undefined) return this.#end(() => this.#reject(this.context.cancelled))
        this.#fail(why, undefined)
        this.#left = []
        this.#exhausted()
      },
    )
  }

  #take(slot: Slot): void {
    const { candidate } = slot
    this.#left = this.#left.length === 1 ? [] : this.#left.filter((each) => each !== candidate)
    const ready = this.#parts.ready?.(candidate, this.context)
    if (ready === undefined) return this.#ask(slot)
    this.#pending++
    void ready.then(() => {
      this.#pending--
      if (!this.#isOver && this.context.cancelled === undefined && this.#isOut(candidate) === false)
        return this.#ask(slot)
      this.#parts.slots.release(slot, undefined)
      if (this.#isOver) return
      if (this.context.cancelled === undefined) this.next()
      else this.#end(() => this.#reject(this.context.cancelled))
    })
  }

  /** Whether an upstream, now that it is known, must not be asked. */
  #isOut(candidate: Candidate): boolean {
    return !this.#order().includes(candidate)
  }

  #order(): readonly Candidate[] {
    const { selection, clock } = this.#parts
    return selection.order({ ...this.#selected, now: clock.now() })
  }

  #ask(slot: Slot): void {
    const { attempt } = this.#parts
    // Only reads are asked for beside one another, and one that may be has to be ended when another one answers.
    const isRace = this.repeatable && (this.#left.length > 0 || this.#pending > 0 || this.spare !== undefined)
    let fork: RpcFork<RpcContext> | undefined
    let forget: (() => void) | undefined
    if (isRace) {
      fork = this.context.fork({})
      ;(this.#forks ??= new Set()).add(fork)
      forget = this.#beside(slot.candidate)
    }
    this.#pending++
    void attempt(slot, this, fork).then((outcome) => {
      this.#pending--
      forget?.()
      if (fork !== undefined) this.#forks!.delete(fork)
      this.#settled(outcome)
    })
  }

  /** Asks the next upstream, too, when one takes long. Returns a function that forgets it. */
  #beside(candidate: Candidate): () => void {
    const { overdue, hedging } = this.#parts
    const silentMs = patienceMs(candidate, this.class)
    const hedgeMs = hedging?.afterMs(candidate, this.#left[0], this.class)
    const second = (): void => {
      const { spare } = this
      if (this.#isOver) return
      if (this.#left.length > 0) this.next()
      // An answer in hand is not lost to an upstream that is silent.
      else if (spare !== undefined) this.#end(() => this.#resolve(spare))
    }
    if (hedgeMs === undefined || hedgeMs >= silentMs) return overdue.after(silentMs, second)
    let forget = overdue.after(hedgeMs, () => {
      if (this.#left.length > 0 && hedging!.take()) second()
      else forget = overdue.after(silentMs - hedgeMs, second)
    })
    return () => forget()
  }

  #settled(outcome: AttemptOutcome): void {
    if (this.#isOver) {
      // Nobody waits for it any more.
      const late = outcome.kind === 'answer' || outcome.kind === 'spare' ? outcome.response : undefined
      if (late?.error === undefined && late !== undefined && isStream(late.result)) late.result.cancel()
      return
    }
    switch (outcome.kind) {
      case 'answer':
        return this.#end(() => this.#resolve(outcome.response))
      case 'final':
        return this.#end(() => this.#reject(outcome.why))
      case 'spare':
        this.spare ??= outcome.response
        break
      case 'refusal':
        ;(this.#refusals ??= []).push(outcome)
        break
      case 'failure':
        this.#fail(outcome.why, outcome.failure)
        break
      case 'abandoned':
        break
    }
    this.next()
  }

  #fail(why: RpcError, kind: FailureKind | undefined): void {
    ;(this.#failures ??= []).push({ why, kind })
  }

  /** Ends a call that no upstream is left for, once all those that were asked have told; or goes round once more. */
  #exhausted(): void {
    if (this.#pending > 0) return
    const failures = this.#failures ?? []
    const fallback = this.spare ?? this.#refused()
    if (fallback !== undefined) return this.#end(() => this.#resolve(fallback))
    const pause = this.repeatable && failures.length > 1 ? this.#parts.retries.again(this.#rounds++) : undefined
    if (pause !== undefined) {
      this.#pending++
      this.#parts.overdue.after(pause, () => {
        this.#pending--
        if (this.context.cancelled !== undefined) return this.#end(() => this.#reject(this.context.cancelled))
        // The last round tells how each upstream fared.
        this.#failures = this.#refusals = undefined
        this.#left = this.#order()
        this.next()
      })
      return
    }
    const { selection, isFalse } = this.#parts
    const reasons = (): string[] =>
      selection.candidates.map((candidate) => selection.reason(candidate, this.#selected) ?? 'unknown')
    const refusals = (this.#refusals ?? []).flatMap(({ why }) => (why === undefined ? [] : [why]))
    this.#end(() => this.#reject(noAnswer(this.#ordered.length, failures, refusals, reasons, isFalse)))
  }

  /** Chooses the refusal that is the answer; undefined where none is: nobody may see it, or another upstream might have said otherwise. */
  #refused(): RpcResponse | undefined {
    const refusals = (this.#refusals ?? []).filter(({ why }) => why === undefined || !isAboutKey(why))
    const chosen = refusals.find(({ why }) => why !== 'method_missing')
    if (chosen !== undefined || refusals.length === 0) return chosen?.response
    // A method that one lacks may be there where nobody answered.
    const isElsewhere = this.#failures !== undefined || refusals.length < this.#refusals!.length || this.#mayHaveIt()
    return isElsewhere ? undefined : refusals[0]!.response
  }

  /** Whether an upstream that was not asked may have the method of the call. */
  #mayHaveIt(): boolean {
    const { selection } = this.#parts
    return selection.candidates.some((candidate) => {
      const reason = selection.reason(candidate, this.#selected)
      return reason !== undefined && !lacksMethod.has(reason)
    })
  }

  #end(tell: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#forks !== undefined) for (const fork of this.#forks) fork.cancel(outrun)
    tell()
  }
}
