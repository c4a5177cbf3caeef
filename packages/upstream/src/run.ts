import { type RpcContext, RpcError, type RpcRequest, type RpcResponse, toRpcError } from '@wayleave/jsonrpc-core'
import type { AttemptOutcome, PoolCall } from './attempt-outcome.ts'
import type { Slot } from './call-slots.ts'
import { discard } from './discard.ts'
import { patienceMs } from './failsafe/hedging.ts'
import type { Due, Waiter } from './failsafe/overdue.ts'
import type { MethodClass } from './health/class-health.ts'
import type { FailureKind } from './health/failure-kind.ts'
import { NoAnswer } from './no-answer.ts'
import { superseded, patienceLeft, Race } from './race.ts'
import type { RunParts } from './run-parts.ts'
import type { Candidate } from './selection/candidate.ts'
import { sendsByName } from './selection/method-table.ts'
import type { SelectionCall } from './selection/order.ts'

/** One call on its way: it asks one upstream after another, or beside another, until one answers. */
export class Run implements PoolCall, Waiter {
  readonly request: RpcRequest
  readonly context: RpcContext
  readonly repeatable: boolean
  readonly write: undefined
  readonly class: MethodClass
  attempts = 0
  spare: RpcResponse | undefined
  readonly #parts: RunParts
  #selected: SelectionCall
  readonly #resolve: (response: RpcResponse) => void
  readonly #reject: (why: unknown) => void
  /** Upstreams that are not asked yet in this round, the next one first. */
  #left: readonly Candidate[] = []
  /** Whether `left` was made just now, at the time of `selected`. */
  #isFresh = true
  #rounds = 1
  /** Attempts on their way, and waits that end by themselves. Of these `unready` counts the ones until enough is known of an upstream. */
  #pending = 0
  #unready = 0
  #isOver = false
  /** Waits until the upstream that was asked last takes long. */
  #due: Due | undefined
  #waitsFor: 'hedge' | 'silence' | 'round' = 'silence'
  #patienceMs = 0
  #hedgeMs = 0
  #racing: Race[] | undefined
  #failed: NoAnswer | undefined
  #forgetCaller: (() => void) | undefined

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
  }

  start(): void {
    try {
      this.#left = this.#parts.selection.order(this.#selected)
      this.#next()
    } catch (thrown) {
      this.broken(thrown)
    }
  }

  /** Goes on when the time of `waitsFor` has come. */
  late(): void {
    this.#due = undefined
    if (this.#isOver) return
    try {
      if (this.#waitsFor === 'round') {
        this.#pending--
        this.#renew([])
        return this.#next()
      }
      const isHedge = this.#waitsFor === 'hedge'
      this.#wait('silence', isHedge ? this.#patienceMs - this.#hedgeMs : this.#patienceMs)
      // By now others may be able to take the call.
      if (this.#left.length === 0 && this.spare === undefined && this.#racing?.length === this.#pending)
        this.#renew([...this.#racing.map((race) => race.candidate), ...this.#noAnswer().lasting])
      // An upstream without a free slot is tried again after the next wait.
      if (this.#left.length > 0) {
        if (!isHedge || this.#mayHedge()) this.#next()
      } else if (this.spare !== undefined && !isHedge) this.#answer(this.spare)
    } catch (thrown) {
      this.broken(thrown)
    }
  }

  /** Asks the next upstream, or ends the call where there is none. */
  #next(): void {
    const { slots } = this.#parts
    if (this.#left.length === 0) return this.#exhausted()
    // An upstream without a free slot is not waited for while another has one.
    const slot = slots.take(this.#left, this)
    if (slot !== undefined) return this.#take(slot)
    // Beside another attempt nothing is waited for.
    if (this.#pending > 0) return
    this.#isFresh = false
    this.#pending++
    this.#stopWaiting()
    slots
      .wait(this.#left, this)
      .then(
        (later) => {
          this.#pending--
          this.#take(later)
        },
        (why: RpcError) => {
          this.#pending--
          if (this.context.cancelled !== undefined) return this.#cancelled(this.context.cancelled)
          this.#noAnswer().busy = why
          this.#left = []
          this.#exhausted()
        },
      )
      .catch((thrown: unknown) => this.broken(thrown))
  }

  #take(slot: Slot): void {
    const { selection, ready } = this.#parts
    const { candidate } = slot
    this.#left = this.#left.length === 1 ? [] : this.#left.filter((each) => each !== candidate)
    if (!this.#isFresh && !selection.mayAsk(candidate, this.#call())) return this.#pass(slot)
    const waits = ready?.(candidate, this.context)
    if (waits === undefined) return this.#ask(slot)
    this.#isFresh = false
    this.#pending++
    this.#unready++
    this.#heedCaller()
    if (this.repeatable || this.#selected.isUnknown === true) this.#watch(candidate, this.#parts.clock.now())
    const goOn = (): void => {
      this.#pending--
      this.#unready--
      if (this.#isOver) return this.#pass(slot)
      // Nothing is asked beside another upstream only because it has become ready.
      if (this.#pending > 0) this.#left = [...this.#left, candidate]
      else if (selection.mayAsk(candidate, this.#call())) return this.#ask(slot)
      this.#pass(slot)
    }
    waits.then(goOn, goOn).catch((thrown: unknown) => this.broken(thrown))
  }

  /** Gives a slot back unused. */
  #pass(slot: Slot): void {
    this.#parts.slots.release(slot, undefined)
    if (!this.#isOver && this.#pending === 0) this.#next()
  }

  #ask(slot: Slot): void {
    const now = this.#isFresh ? this.#selected.now : this.#parts.clock.now()
    this.#isFresh = false
    // An attempt beside which another one may be asked has to be ended when that one answers.
    let race: Race | undefined
    this.#stopWaiting()
    if (this.repeatable && this.#parts.selection.candidates.length > 1) {
      race = new Race(this.context, slot.candidate, (this.#racing?.length ?? 0) > 0, now)
      ;(this.#racing ??= []).push(race)
      this.#watch(slot.candidate, now)
    }
    // Alone it ends the call itself, when its caller does.
    else this.#forgetCaller = void this.#forgetCaller?.()
    if (this.#selected.isUnknown === true) this.#parts.selection.trials.began(slot.candidate, this.#call())
    this.#pending++
    this.#parts.attempt(slot, this, race, now)
  }

  settled(outcome: AttemptOutcome, candidate: Candidate, race: Race | undefined): void {
    this.#pending--
    if (race !== undefined) this.#racing!.splice(this.#racing!.indexOf(race), 1)
    if (outcome.kind === 'answer') return this.#answer(outcome.response)
    if (outcome.kind === 'final') return this.#cancelled(outcome.why, candidate, outcome.failure)
    if (outcome.kind === 'refusal') this.#noAnswer().refused(candidate, outcome)
    else if (outcome.kind === 'failure') this.#noAnswer().failed(candidate, outcome.failure, outcome.why)
    else if (outcome.kind === 'spare') {
      if (this.#isOver || this.spare !== undefined) discard(outcome.response)
      else this.spare = outcome.response
    }
    if (this.#isOver) return
    const isWaiting = this.#left.length === 0 && this.#racing?.length === this.#pending
    if (this.spare === undefined || !isWaiting) return this.#next()
    // A better answer is waited for only until each upstream that may have it has been silent for too long.
    const ms = patienceLeft(this.#racing!, this.class, this.#parts.clock.now())
    if (ms > 0) this.#wait('silence', ms)
    else this.#answer(this.spare)
  }

  #noAnswer(): NoAnswer {
    return (this.#failed ??= new NoAnswer())
  }

  /** Ends a call that no upstream is left for, once all those that were asked have told; or goes round once more. */
  #exhausted(): void {
    if (this.#pending > this.#unready) return
    const { selection, isFalse, retries } = this.#parts
    const failed = this.#noAnswer()
    // An upstream that is not known yet is waited for, unless all that have answered lack the method.
    const missing = this.#unready > 0 ? failed.missingMethod(selection, this.#call()) : undefined
    if (this.#unready > 0) return missing && this.#answer(missing)
    const response = this.spare ?? failed.honestRefusal
    if (response !== undefined) return this.#answer(response)
    const pauseMs = this.repeatable && failed.mayPass ? retries?.again(this.#rounds++) : undefined
    if (pauseMs !== undefined) {
      this.#pending++
      this.#heedCaller()
      return this.#wait('round', pauseMs)
    }
    const end = failed.end(selection, this.#call(), isFalse, true)
    return end instanceof RpcError ? this.#fail(end) : this.#answer(end)
  }

  #call(): SelectionCall {
    return { ...this.#selected, now: this.#parts.clock.now() }
  }

  /** Waits until an upstream takes long, to ask the next one, too. */
  #watch(candidate: Candidate, now: number): void {
    const hedging = this.#selected.affinity === undefined ? this.#parts.hedging : undefined
    const hedgeMs = hedging?.afterMs(candidate, this.#left[0], this.class)
    this.#patienceMs = patienceMs(candidate, this.class)
    if (hedgeMs === undefined || hedgeMs >= this.#patienceMs) return this.#wait('silence', this.#patienceMs, now)
    this.#hedgeMs = hedgeMs
    this.#wait('hedge', hedgeMs, now)
  }

  /** Chooses anew, but for those that were asked. */
  #renew(asked: readonly Candidate[]): void {
    this.#selected = this.#call()
    this.#left = this.#parts.selection.order(this.#selected).filter((each) => !asked.includes(each))
    this.#isFresh = true
  }

  #wait(what: 'hedge' | 'silence' | 'round', ms: number, now = this.#parts.clock.now()): void {
    this.#stopWaiting()
    this.#waitsFor = what
    this.#due = this.#parts.overdue.after(now, ms, this)
  }

  #stopWaiting(): void {
    if (this.#due !== undefined) this.#parts.overdue.forget(this.#due)
  }

  /** Whether the next upstream may be asked only because another one takes longer than usual: it must be well. */
  #mayHedge(): boolean {
    return this.#parts.selection.reason(this.#left[0]!, this.#call()) === undefined && this.#parts.hedging!.take()
  }

  /** Ends the call with its caller, while no upstream does. */
  #heedCaller(): void {
    this.#forgetCaller ??= this.context.onCancel((why) => this.#cancelled(why))
  }

  #answer(response: RpcResponse): void {
    if (this.#isOver) return discard(response)
    this.#resolve(response)
    this.#end(response)
  }

  #fail(why: RpcError): void {
    if (this.#isOver) return
    this.#reject(why)
    this.#end()
  }

  /** Ends the call by a final failure. Where its deadline ended it, the error says how the upstreams have fared that were asked. */
  #cancelled(why: RpcError, asked?: Candidate, failure?: FailureKind): void {
    const isLate = why === this.context.cancelled && why.code === 'timeout'
    const { isUnknown } = this.#selected
    if (!isLate && (failure === undefined || isUnknown !== true)) return this.#fail(why)
    const failed = this.#noAnswer()
    if (asked !== undefined) failed.failed(asked, failure ?? 'timeout', why)
    for (const { candidate } of this.#racing ?? []) failed.silent(candidate)
    // A write may have been done, but for one in no table whose name does not say that it sends something.
    const mayBeDone =
      asked !== undefined && !this.repeatable && (isUnknown !== true || sendsByName(this.request.method))
    const missing = mayBeDone ? undefined : failed.missingMethod(this.#parts.selection, this.#call())
    if (missing !== undefined) return this.#answer(missing)
    this.#fail(isLate ? failed.endLate(why, this.#parts.selection, this.#call()) : why)
  }

  broken(thrown: unknown): void {
    this.#fail(toRpcError(thrown, 'unavailable', 'the choice of an upstream failed'))
  }

  #end(given?: RpcResponse): void {
    this.#isOver = true
    if (this.spare !== undefined && this.spare !== given) discard(this.spare)
    this.#stopWaiting()
    this.#forgetCaller?.()
    if (this.#racing !== undefined) for (const race of this.#racing) race.cancel(superseded)
  }
}
