import {
  CallContext,
  type Clock,
  type HttpBatch,
  isStream,
  type RpcContext,
  RpcError,
  type RpcErrorCode,
  type RpcErrorObject,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { BatchLimits } from './batch-limits.ts'
import type { CallCosts } from './call-costs.ts'

/** A call that may leave together with others. */
export interface Joined {
  readonly request: RpcRequest
  readonly context: RpcContext
  readonly resolve: (response: RpcResponse) => void
  readonly reject: (why: unknown) => void
  forget: (() => void) | undefined
  /** Whether its caller has left, or it is asked alone. */
  isOver: boolean
}

export interface PartOptions {
  readonly single: RpcHandler
  readonly batch: HttpBatch
  readonly limits: BatchLimits
  readonly costs: CallCosts
  readonly isAboutKey: (error: RpcErrorObject) => boolean
  readonly clock: Clock
  readonly idleMs: () => number
}

const tooLongStatus = 413
/** Statuses by which servers refuse a batch. By the others of `mayRefuse` they may mean one call, where they say nothing of batches. */
const refusing = new Set([405, tooLongStatus, 415, 501])
const mayRefuse = new Set([...refusing, 400, 422])
/** Codes of an error for a whole batch that refuse it: of the request, of its text. */
const refusingCodes = new Set([-32_600, -32_700])
const aboutBatches = /batch|array|unmarshal/i
/** Words by which plans refuse batches, by whatever status and code: the key is good for single calls. */
const batches = String.raw`\bbatch(?:es|ing)?(?: (?:requests?|calls?))?(?: of more than \d+(?: (?:requests?|calls?))?)?`
const notAllowed = String.raw`(?:n['’]t| not) (?:allowed|available|enabled|included|permitted|supported)\b`
const refusesBatches = new RegExp(
  String.raw`${batches}(?: (?:is|are))?${notAllowed}|${batches} (?:is|are) (?:disabled|unsupported)\b|(?:n['’]t| not) (?:allow|include|permit|support) batch`,
  'i',
)
/** Characters of a message that are read: a node may send two megabytes of them. */
const longestWords = 1_000
/** The code by which geth leaves out the answers that a batch has no more room for. */
const tooLargeCode = -32_003
/** Failures that a batch may have where single calls have none. */
const failureCodes = new Set<RpcErrorCode>(['disconnected', 'invalid_response', 'timeout'])
const failureStatuses = new Set([500, 502, 504])

/** A batch that had no answer for so long when its last caller left counts as failed, in ms. */
const longSilenceMs = 1_000
/** A batch is given up, and its calls are asked alone, after so long, in ms, and so many times the wait that was expected: one call that stalls costs the others no more. */
const patienceMs = 2_000
const patienceTimes = 4

/** Calls that leave in one request; one call leaves as it would alone. */
export class Part {
  readonly #options: PartOptions
  readonly #calls: readonly Joined[]
  readonly #methods: readonly string[]
  readonly #bytes: number
  #left: number
  #since = 0
  #idleSince = 0
  #isGivenUp = false
  #stopTimer: (() => void) | undefined

  /** `bytes`: about the length of the request. */
  constructor(options: PartOptions, calls: readonly Joined[], bytes: number) {
    this.#options = options
    this.#calls = calls
    this.#methods = calls.map(({ request }) => request.method)
    this.#bytes = bytes
    this.#left = calls.length
  }

  send(): void {
    const calls = this.#calls
    const { batch, limits, costs, clock, idleMs } = this.#options
    this.#since = clock.now()
    this.#idleSince = idleMs()
    if (calls.length === 1) return this.#sendOne(calls[0]!)
    const [first] = calls
    const deadline = calls.reduce((latest, { context }) => Math.max(latest, context.deadline), 0)
    limits.sent()
    // Needs no timer of its own: each call has one, and the request ends with the last call.
    const context = new CallContext({
      clock,
      deadline,
      batch: first!.context.batch,
      tenant: first!.context.tenant,
      untimed: true,
    })
    context.trace = first!.context.trace
    for (const call of calls) {
      call.forget = call.context.onCancel((why) => {
        call.isOver = true
        call.reject(why)
        if (--this.#left > 0) return
        this.#stopTimer?.()
        context.cancel(why)
      })
    }
    const patience = patienceMs + patienceTimes * costs.expectedMs(this.#methods)
    this.#stopTimer = clock.after(patience, () => this.#late(context, patience))
    batch(
      calls.map(({ request }) => request),
      context,
    )
      .finally(() => this.#stopTimer?.())
      .then((reply) => {
        if (this.#isGivenUp) return
        if (reply.answers === undefined) this.#refused(reply.refusal, reply.status)
        else this.#answered(reply.answers)
      })
      .catch((thrown: unknown) => this.#failed(toRpcError(thrown, 'disconnected', 'the batch failed')))
  }

  #sendOne({ request, context, resolve, reject }: Joined): void {
    this.#options.single(request, context).then((response) => {
      this.#options.costs.single(request.method, this.#waitedMs(), lengthOf(response))
      resolve(response)
    }, reject)
  }

  /** The time of the answer, but for that in which it may have lain here. */
  #waitedMs(): number {
    const { clock, idleMs } = this.#options
    return Math.min(clock.now() - this.#since, idleMs() - this.#idleSince)
  }

  /** Gives up a batch that has no answer after `ms`. */
  #late(context: CallContext, ms: number, isLast = false): void {
    const { limits, costs, clock } = this.#options
    if (!isLast && this.#waitedMs() < ms / 2) {
      // The answer may lie here, as this process had much to do.
      this.#stopTimer = clock.after(ms, () => this.#late(context, ms, true))
      return
    }
    this.#isGivenUp = true
    limits.failed()
    costs.tooMuch(this.#methods)
    this.#allAlone()
    context.cancel(new RpcError('timeout', 'the batch had no answer in time'))
  }

  #answered(answers: readonly (RpcResponse | RpcError | undefined)[]): void {
    const { limits, costs } = this.#options
    const calls = this.#calls
    const missing = answers.filter((answer) => answer === undefined).length
    if (missing === calls.length) return this.#refused(undefined, undefined)
    limits.answered(calls.length - missing, calls.length)
    costs.batch(
      this.#methods,
      this.#waitedMs(),
      answers.map((answer) => (answer === undefined || answer instanceof RpcError ? 0 : lengthOf(answer))),
    )
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i]!
      const answer = answers[i]
      if (!this.#end(call)) continue
      if (answer === undefined || (!(answer instanceof RpcError) && answer.error?.code === tooLargeCode))
        this.#alone(call)
      else if (answer instanceof RpcError) call.reject(answer)
      else call.resolve(answer)
    }
  }

  /** Gives an error about the key to each call. Any other one may be that of one call: each is asked alone. */
  #refused(error: RpcErrorObject | undefined, status: number | undefined): void {
    if (this.#isOfEach(error, status)) {
      for (const call of this.#calls) if (this.#end(call)) call.resolve({ error: error! })
      return
    }
    const { limits } = this.#options
    const isOfBatch =
      error === undefined ||
      refusing.has(status ?? 200) ||
      refusingCodes.has(error.code) ||
      aboutBatches.test(error.message)
    if (isOfBatch) limits.refused(this.#calls.length, this.#bytes, error, status)
    else limits.failed()
    this.#allAlone()
  }

  #isOfEach(error: RpcErrorObject | undefined, status: number | undefined): boolean {
    if (error === undefined || status === tooLongStatus || isOfPlan(error)) return false
    return this.#options.isAboutKey(error)
  }

  #failed(why: RpcError): void {
    const { limits, costs, clock } = this.#options
    if (this.#isGivenUp) return
    if (this.#left === 0) {
      // No caller waited any longer.
      if (clock.now() - this.#since >= longSilenceMs) limits.failed()
      return
    }
    const { code, httpStatus, rpc } = why
    const mayBeRefusal = mayRefuse.has(httpStatus ?? 200) || (rpc !== undefined && isOfPlan(rpc))
    if (mayBeRefusal && !this.#isOfEach(rpc, httpStatus)) return this.#refused(rpc, httpStatus)
    // Together the answers may be too long, or more than the first caller may hold, and each may not be.
    if (code === 'too_large') costs.tooMuch(this.#methods)
    if (code === 'too_large' || code === 'overloaded') return this.#allAlone()
    if (failureCodes.has(code) || failureStatuses.has(httpStatus ?? 200)) limits.failed()
    for (const call of this.#calls) if (this.#end(call)) call.reject(why)
  }

  #allAlone(): void {
    for (const call of this.#calls) if (this.#end(call)) this.#alone(call)
  }

  /** Ends the part that a call has in this; false where its caller has left. */
  #end(call: Joined): boolean {
    if (call.isOver) return false
    call.isOver = true
    call.forget!()
    return true
  }

  #alone({ request, context, resolve, reject }: Joined): void {
    this.#options.single(request, context).then(resolve, reject)
  }
}

const isOfPlan = ({ message }: RpcErrorObject): boolean => refusesBatches.test(message.slice(0, longestWords))

function lengthOf({ result, error }: RpcResponse): number {
  if (error !== undefined) return error.raw?.byteLength ?? 0
  return isStream(result) ? 0 : result.byteLength
}
