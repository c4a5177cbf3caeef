import { type RpcContext, RpcError, type RpcRequest, type RpcResponse, toRpcError } from '@wayleave/jsonrpc-core'
import type { AttemptOutcome, PoolCall } from '../attempt-outcome.ts'
import type { Slot } from '../call-slots.ts'
import { resendAfterMs } from '../failsafe/hedging.ts'
import type { Due, Waiter } from '../failsafe/overdue.ts'
import type { MethodClass } from '../health/class-health.ts'
import { NoAnswer } from '../no-answer.ts'
import { superseded } from '../race.ts'
import type { RunParts } from '../run-parts.ts'
import type { Candidate } from '../selection/candidate.ts'
import type { SelectionCall } from '../selection/order.ts'
import { WriteContext } from './write-context.ts'
import { mayHaveIt, type Write } from './write.ts'

/** Time for which a refusal is kept back while another upstream owes its answer, in ms: clients give up after 10 s. */
const doubtAfterMs = 5_000

/**
 * One write on its way: it goes to `broadcast` upstreams at once, and to the next one where one fails or is silent, once to each. The
 * first success answers it; it fails only where no upstream can have taken it, and is in doubt else.
 */
export class WriteRun implements PoolCall, Waiter {
  readonly request: RpcRequest
  readonly class: MethodClass
  readonly write: Write
  readonly repeatable = false
  /** The context of its attempts, which may outlive its caller's. */
  readonly context: WriteContext
  attempts = 0
  spare: undefined
  readonly #parts: RunParts
  readonly #forgetCaller: () => void
  #selected: SelectionCall
  readonly #resolve: (response: RpcResponse) => void
  readonly #reject: (why: unknown) => void
  /** Those that are not asked yet, the next one first. */
  #left: readonly Candidate[] = []
  /** Whether `left` was made just now, at the time of `selected`. */
  #isFresh = true
  /** Waits for a slot, or until enough is known of an upstream. */
  #waits = 0
  /** Those that were asked. */
  readonly #tried: Candidate[] = []
  /** Those of them that owe their answer. */
  #asked: readonly Candidate[] = []
  /** Whether one of the others has the write, or may have it. */
  #mayHaveIt = false
  #refusal: RpcResponse | undefined
  readonly #failed = new NoAnswer()
  #due: Due | undefined
  /** The one whose silence is waited for. */
  #watched: Candidate | undefined
  #waitsFor: 'silence' | 'doubt' = 'silence'
  #isOver = false

  constructor(
    parts: RunParts,
    call: SelectionCall,
    write: Write,
    caller: RpcContext,
    resolve: (response: RpcResponse) => void,
    reject: (why: unknown) => void,
  ) {
    this.#parts = parts
    this.#selected = call
    this.request = call.request
    this.class = call.class
    this.write = write
    this.context = new WriteContext(caller, parts.clock)
    this.#resolve = resolve
    this.#reject = reject
    this.#forgetCaller = caller.onCancel((why) => this.#cancelled(why))
  }

  start(): void {
    try {
      this.#left = this.#parts.selection.order(this.#selected)
      this.#next()
      for (let i = 1; i < this.write.broadcast && this.#left.length > 0; i++) this.#next()
    } catch (thrown) {
      this.broken(thrown)
    }
  }

  late(): void {
    this.#due = undefined
    if (this.#isOver) return
    try {
      if (this.#waitsFor === 'doubt') return this.#end()
      // An upstream without a free slot is tried again after the next wait.
      if (this.#watched !== undefined) this.#watch(this.#watched, this.#parts.clock.now())
      if (this.#left.length === 0) this.#renew()
      this.#next()
    } catch (thrown) {
      this.broken(thrown)
    }
  }

  readonly #isPending = (): boolean => this.#waits > 0 || this.#asked.length > 0

  /** Asks the next upstream, or ends the call where there is none. */
  #next(): void {
    const { slots } = this.#parts
    if (this.#isOver) return
    if (this.#left.length === 0) return this.#exhausted()
    const slot = slots.take(this.#left, this)
    if (slot !== undefined) return this.#take(slot)
    // Beside another attempt nothing is waited for.
    if (this.#isPending()) return
    this.#isFresh = false
    this.#waits++
    slots
      .wait(this.#left, this)
      .then(
        (later) => {
          this.#waits--
          this.#take(later)
        },
        (why: RpcError) => {
          this.#waits--
          if (this.#isOver) return this.#release()
          this.#failed.busy = why
          this.#left = []
          this.#exhausted()
        },
      )
      .catch((thrown: unknown) => this.broken(thrown))
  }

  #take(slot: Slot): void {
    const { candidate } = slot
    this.#left = this.#left.filter((each) => each !== candidate)
    if (this.#isOver || !this.#mayAsk(candidate)) return this.#pass(slot)
    const waits = this.#parts.ready?.(candidate, this.context)
    if (waits === undefined) return this.#ask(slot)
    this.#isFresh = false
    this.#waits++
    this.#watch(candidate, this.#parts.clock.now())
    const goOn = (): void => {
      this.#waits--
      if (this.#isOver) return this.#pass(slot)
      // Nothing is asked beside as many as are wanted only because it has become ready.
      if (this.#asked.length >= this.write.broadcast) this.#left = [...this.#left, candidate]
      else if (this.#mayAsk(candidate)) return this.#ask(slot)
      this.#pass(slot)
    }
    waits.then(goOn, goOn).catch((thrown: unknown) => this.broken(thrown))
  }

  /** Whether an upstream may be asked still, and was not asked while it was waited for. */
  #mayAsk(candidate: Candidate): boolean {
    if (this.#tried.includes(candidate)) return false
    return this.#isFresh || this.#parts.selection.mayAsk(candidate, this.#call())
  }

  /** Gives a slot back unused. */
  #pass(slot: Slot): void {
    this.#parts.slots.release(slot, undefined)
    if (this.#isOver) this.#release()
    else if (!this.#isPending()) this.#next()
  }

  #ask(slot: Slot): void {
    const now = this.#isFresh ? this.#selected.now : this.#parts.clock.now()
    this.#isFresh = false
    this.#tried.push(slot.candidate)
    this.#asked = [...this.#asked, slot.candidate]
    this.#watch(slot.candidate, now)
    this.write.begin()
    this.#parts.attempt(slot, this, undefined, now)
  }

  settled(outcome: AttemptOutcome, candidate: Candidate): void {
    this.#asked = this.#asked.filter((each) => each !== candidate)
    if (this.#isOver) return this.#release()
    if (outcome.kind === 'answer') {
      if (outcome.response.error === undefined || outcome.write === 'done') return this.#done(outcome.response)
      this.#refusal ??= outcome.response
    } else if (outcome.kind === 'refusal') {
      this.#failed.refused(candidate, outcome)
      if (mayHaveIt(outcome.write)) this.#doubt()
    } else if (outcome.kind === 'failure') {
      this.#failed.failed(candidate, outcome.failure, outcome.why)
      if (outcome.why.delivery === 'unknown') this.#doubt()
    } else if (outcome.kind === 'final') {
      const { why } = outcome
      const isKnown = why.delivery === 'not_sent' || why.code === 'denied'
      if (!isKnown) this.#doubt()
      if (!this.#isPending() && (isKnown || this.#left.length === 0)) return this.#fail(why)
      this.#failed.failed(candidate, 'internal', why)
    }
    if (this.#refusal === undefined || (this.write.isIdempotent && this.#mayBeDone())) return this.#next()
    if (!this.#isPending() || this.#left.length === 0) this.#exhausted()
  }

  /** Takes note that an upstream may have the write: another one may get it only if that does no harm. */
  #doubt(): void {
    this.#mayHaveIt = true
    if (!this.write.isIdempotent) this.#left = []
  }

  /** Whether an upstream may have the write that owes no answer. */
  readonly #mayBeDone = (): boolean => this.#mayHaveIt || this.write.mayBeDone()
  readonly #isInDoubt = (): boolean => this.#mayBeDone() || this.#asked.length > 0

  /** Ends the call where nobody is left, once all those that were asked have told. */
  #exhausted(): void {
    if (!this.#isPending()) return this.#end()
    // An upstream that owes its answer may have done what another one refused.
    if (this.#refusal !== undefined && this.#waitsFor !== 'doubt') this.#wait('doubt', doubtAfterMs)
  }

  #end(): void {
    const { selection, isFalse } = this.#parts
    const call = this.#call()
    for (const candidate of this.#asked) this.#failed.silent(candidate)
    // The only one that was asked says best what has become of the write.
    const absent = this.#tried.length === 1 && !this.write.mayBeDone() ? this.#failed.absent : undefined
    if (absent !== undefined) this.#mayHaveIt = false
    const end = this.#isInDoubt()
      ? this.#failed.unanswered(selection, call, isFalse)
      : (absent ?? this.#refusal ?? this.#failed.honestRefusal ?? this.#failed.end(selection, call, isFalse))
    if (end instanceof RpcError) return this.#fail(end)
    this.#resolve(end)
    this.#over()
  }

  #done(response: RpcResponse): void {
    this.#mayHaveIt = true
    this.#resolve(response)
    this.#over()
    // One upstream was to have it, and does.
    if (this.write.broadcast === 1) this.context.cancel(superseded)
  }

  #call(): SelectionCall {
    return { ...this.#selected, now: this.#parts.clock.now() }
  }

  /** Chooses anew, but for those that were asked: by now others may be able to take the write. */
  #renew(): void {
    this.#selected = this.#call()
    this.#left = this.#parts.selection.order(this.#selected).filter((each) => !this.#tried.includes(each))
    this.#isFresh = true
  }

  /** Waits until an upstream takes long, to ask the next one, too. */
  #watch(candidate: Candidate, now: number): void {
    this.#watched = candidate
    if (this.write.isIdempotent) this.#wait('silence', resendAfterMs(candidate, this.class), now)
  }

  #wait(what: 'silence' | 'doubt', ms: number, now = this.#parts.clock.now()): void {
    this.#stopWaiting()
    this.#waitsFor = what
    this.#due = this.#parts.overdue.after(now, ms, this)
  }

  #stopWaiting(): void {
    if (this.#due !== undefined) this.#parts.overdue.forget(this.#due)
    this.#due = undefined
  }

  #fail(why: RpcError, isInDoubt: boolean = this.#isInDoubt()): void {
    this.#reject(isInDoubt ? this.write.inDoubt(why) : why)
    this.#over()
  }

  /** Ends the call with its caller; where its deadline does, the error says how those have fared that were asked. */
  #cancelled(why: RpcError): void {
    if (this.#isOver) return
    for (const candidate of this.#asked) this.#failed.silent(candidate)
    const isLate = why.code === 'timeout'
    const reported = isLate ? this.#failed.endLate(why, this.#parts.selection, this.#call()) : why
    this.#fail(reported, isLate && this.#isInDoubt())
    this.context.cancel(why)
  }

  broken(thrown: unknown): void {
    if (this.#isOver) return
    this.#mayHaveIt ||= this.attempts > 0
    this.#fail(toRpcError(thrown, 'unavailable', 'the choice of an upstream failed'))
  }

  /** Leaves the caller. Attempts on their way go on until their deadline. */
  #over(): void {
    this.#isOver = true
    this.#stopWaiting()
    this.#forgetCaller()
    this.write.end(!this.#mayHaveIt && this.#asked.length === 0)
    if (this.#isPending()) this.context.outlive()
  }

  /** Ends what outlived the call, once nothing is on its way any more. */
  #release(): void {
    if (!this.#isPending()) this.context.release()
  }
}
