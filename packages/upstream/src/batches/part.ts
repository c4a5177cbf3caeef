import {
  CallContext,
  type Clock,
  type HttpBatch,
  isStream,
  type RpcContext,
  RpcError,
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
  readonly clock: Clock
  readonly idleMs: () => number
}

/** Statuses by which servers refuse a batch. */
const refusing = new Set([400, 405, 413, 415, 422, 501])
/** Codes of an error for a whole batch that refuse it: of the request, of its text; others are about the key or the quota. */
const refusingCodes = new Set([-32_600, -32_700])
const aboutBatches = /batch|array|unmarshal/i
/** The code by which geth leaves out the answers that a batch has no more room for. */
const tooLargeCode = -32_003

/** A batch that had no answer for so long when its last caller left counts as failed, in ms. */
const longSilenceMs = 1_000

/** Calls that leave in one request; one call leaves as it would alone. */
export class Part {
  readonly #options: PartOptions
  readonly #calls: readonly Joined[]
  readonly #bytes: number
  #left: number
  #since = 0
  #idleSince = 0

  /** `bytes`: about the length of the request. */
  constructor(options: PartOptions, calls: readonly Joined[], bytes: number) {
    this.#options = options
    this.#calls = calls
    this.#bytes = bytes
    this.#left = calls.length
  }

  send(): void {
    const calls = this.#calls
    const { batch, clock, idleMs } = this.#options
    this.#since = clock.now()
    this.#idleSince = idleMs()
    if (calls.length === 1) return this.#sendOne(calls[0]!)
    const [first] = calls
    const deadline = calls.reduce((latest, { context }) => Math.max(latest, context.deadline), 0)
    // Needs no timer: each call has one, and the request ends with the last call.
    const context = new CallContext({
      clock,
      deadline,
      batch: first!.context.batch,
      lane: first!.context.lane,
      untimed: true,
    })
    context.trace = first!.context.trace
    for (const call of calls) {
      call.forget = call.context.onCancel((why) => {
        call.isOver = true
        call.reject(why)
        if (--this.#left === 0) context.cancel(why)
      })
    }
    batch(
      calls.map(({ request }) => request),
      context,
    )
      .then((reply) => (reply.answers === undefined ? this.#refused(reply.refusal) : this.#answered(reply.answers)))
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

  #answered(answers: readonly (RpcResponse | RpcError | undefined)[]): void {
    const { limits, costs } = this.#options
    const calls = this.#calls
    limits.worked()
    costs.batch(
      calls.map(({ request }) => request.method),
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

  /** Asks each call alone where the batch was refused; any other error that came for all of them is the answer to each. */
  #refused(error: RpcErrorObject | undefined): void {
    const isOfBatch = error === undefined || refusingCodes.has(error.code) || aboutBatches.test(error.message)
    if (isOfBatch) this.#options.limits.refused(this.#calls.length, this.#bytes, error)
    for (const call of this.#calls) {
      if (!this.#end(call)) continue
      if (isOfBatch) this.#alone(call)
      else call.resolve({ error })
    }
  }

  #failed(why: RpcError): void {
    const { limits, clock } = this.#options
    if (this.#left === 0) {
      // No caller waited any longer.
      if (clock.now() - this.#since >= longSilenceMs) limits.failed()
      return
    }
    const isRefused = why.httpStatus !== undefined && refusing.has(why.httpStatus)
    if (isRefused) limits.refused(this.#calls.length, this.#bytes, why.rpc, why.httpStatus)
    else if (why.code !== 'connect') limits.failed()
    for (const call of this.#calls) {
      if (!this.#end(call)) continue
      // Together the answers may be too long, and each may not be.
      if (isRefused || why.code === 'too_large') this.#alone(call)
      else call.reject(why)
    }
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

function lengthOf({ result, error }: RpcResponse): number {
  if (error !== undefined) return error.raw?.byteLength ?? 0
  return isStream(result) ? 0 : result.byteLength
}
