import {
  type Clock,
  isStream,
  type RawJsonStream,
  type RpcContext,
  RpcError,
  type RpcErrorCode,
  type RpcFork,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { CallSlots, Slot, SlotRequest } from './call-slots.ts'
import type { Endpoint } from './endpoint.ts'
import { type EndpointHealth, recordAnswer, recordFalseAnswer } from './endpoint-health.ts'

/** The options of a pool that concern one attempt. */
export interface AttemptOptions {
  readonly clock: Clock
  /** Most time that one endpoint may take while another could be asked, in ms. Default 10,000, or its share of the time left. */
  readonly attemptTimeoutMs?: number
  /** Time for which an endpoint that failed is asked last, in ms. Default 2,000. */
  readonly cooldownMs?: number
  /** Whether a failure means that the endpoint's answer is false: it is then asked last for much longer. Default: none does. */
  readonly isFalse?: (why: RpcError) => boolean
  /** Whether an answer was verified: after sixteen of them, an earlier false one counts no more. Default: none is. */
  readonly isVerified?: (response: RpcResponse) => boolean
  /** Time of distrust after the first false answer, in ms; each further one doubles it, up to 64 times. Default 60,000. */
  readonly distrustMs?: number
  /** Whether an answer to a read counts only if no other endpoint has a better one. `spare`: the first such one. Default: none does. */
  readonly isLastResort?: (response: RpcResponse, spare: RpcResponse | undefined) => boolean
  /**
   * Whether an answer says that the endpoint cannot take this call and was not asked: another one is then asked, for a write
   * too, and the first such answer is given only if no endpoint answers. Default: none does.
   */
  readonly isRefusal?: (response: RpcResponse) => boolean
  /** Called with each attempt that failed, also with each stream that broke off. */
  readonly onFailure?: (endpoint: Endpoint, why: RpcError) => void
}

/** A call on its way through the pool. */
export interface PoolCall extends SlotRequest {
  readonly request: RpcRequest
  /** Endpoints that may be asked. */
  readonly candidates: number
  /** Attempts begun so far. */
  attempts: number
  /** The first answer of last resort. */
  spare: RpcResponse | undefined
}

/** The outcome of one attempt. */
type AttemptOutcome =
  | { readonly kind: 'answer'; readonly response: RpcResponse }
  /** An answer of last resort. */
  | { readonly kind: 'spare'; readonly response: RpcResponse }
  /** The endpoint cannot take the call. */
  | { readonly kind: 'refusal'; readonly response: RpcResponse }
  /** Another endpoint may be asked. */
  | { readonly kind: 'failure'; readonly why: RpcError }
  /** The call ends with it. */
  | { readonly kind: 'final'; readonly why: RpcError }

/**
 * Asks the endpoint of a slot, records in its health how it fared, and gives the slot back when the answer has ended. Rejects only with
 * the reason of the call's cancellation.
 */
export type Attempt = (slot: Slot, call: PoolCall) => Promise<AttemptOutcome>

/** Failures that another endpoint would not mend. */
const finalCodes = new Set<RpcErrorCode>(['aborted', 'denied', 'too_large'])
/** Whether another endpoint would not mend a failure; nor would it where this host refuses the answer, in words of its own. */
function isFinal({ code, rpc }: RpcError): boolean {
  return finalCodes.has(code) || (code === 'overloaded' && rpc !== undefined)
}

/** Failures of a stream that its peer alone can be blamed for; a deadline may have passed because of the reader. */
const peerFailures = new Set<RpcErrorCode>(['disconnected', 'invalid_response'])

export function createAttempt(options: AttemptOptions, slots: CallSlots): Attempt {
  const { clock, attemptTimeoutMs = 10_000, cooldownMs = 2_000, distrustMs = 60_000, onFailure } = options
  const { isFalse = no, isVerified = no, isLastResort = no, isRefusal = no } = options

  /** A read gets its share of the time left, so that others can be asked after it; a write is never cut short for them. */
  function forkFor({ context, candidates, attempts, repeatable, spare }: PoolCall): RpcFork<RpcContext> | undefined {
    // An answer in hand is not lost to an endpoint that is silent.
    const shares = candidates - attempts + (spare === undefined ? 1 : 2)
    if (!repeatable || shares === 1) return undefined
    const now = clock.now()
    return context.fork({ deadline: now + Math.min(attemptTimeoutMs, (context.deadline - now) / shares) })
  }

  /** `falseBefore`: the endpoint's false answers when the attempt began. An attempt begun before the last of them counts with it. */
  function recordFailure(health: EndpointHealth, why: RpcError, falseBefore: number): void {
    if (!isFalse(why)) health.failedUntil = clock.now() + cooldownMs
    else if (health.falseAnswers <= falseBefore) recordFalseAnswer(health, clock.now(), distrustMs)
    onFailure?.(health.endpoint, why)
  }

  return async (slot, call) => {
    const health: EndpointHealth = slot.health
    const { endpoint, falseAnswers } = health
    call.attempts++
    const fork = forkFor(call)
    let isStreaming = false
    let bytes: number | undefined
    try {
      const response = await endpoint.handler(call.request, fork?.context ?? call.context)
      if (fork !== undefined) keepStream(response, call.context, fork)
      if (isRefusal(response)) return { kind: 'refusal', response }
      recordAnswer(health, isVerified(response))
      const meta = { ...response.meta, endpoint: endpoint.name, attempts: call.attempts }
      const answer = { ...response, meta }
      const kind = call.repeatable && isLastResort(response, call.spare) ? 'spare' : 'answer'
      if (answer.error !== undefined) return { kind, response: answer }
      if (!isStream(answer.result)) {
        bytes = answer.result.byteLength
        return { kind, response: answer }
      }
      isStreaming = true
      const result = watchedStream(answer.result, call.context, (why, passed) => {
        slots.release(slot, passed)
        if (why !== undefined) recordFailure(health, why, falseAnswers)
      })
      return { kind, response: { ...answer, result } }
    } catch (thrown) {
      if (call.context.cancelled !== undefined) throw call.context.cancelled
      const why = toRpcError(thrown, 'unavailable', 'the endpoint failed')
      // The endpoint is not to blame.
      if (isFinal(why) && call.spare === undefined) return { kind: 'final', why }
      recordFailure(health, why, falseAnswers)
      return { kind: call.repeatable || why.delivery === 'not_sent' ? 'failure' : 'final', why }
    } finally {
      if (!isStreaming) slots.release(slot, bytes)
      fork?.release()
    }
  }
}

const no = (): boolean => false

/** Ties a stream to its caller: it has begun, so the time of its attempt no longer matters. */
function keepStream({ error, result }: RpcResponse, context: RpcContext, fork: RpcFork<RpcContext>): void {
  if (error === undefined && isStream(result)) context.onCancel((why) => fork.cancel(why))
}

/**
 * Passes a stream on. Calls `onEnd` once, with the bytes that came: when it has ended, when its reader has left or the call is cancelled,
 * or with an error when its peer broke it off.
 */
function watchedStream(
  stream: RawJsonStream,
  context: RpcContext,
  onEnd: (broken: RpcError | undefined, bytes: number) => void,
): RawJsonStream {
  let hasEnded = false
  let bytes = 0
  let forget = (): void => {}
  const end = (broken?: RpcError): void => {
    if (hasEnded) return
    hasEnded = true
    forget()
    onEnd(broken, bytes)
  }
  // A context that is cancelled already calls at once.
  forget = context.onCancel(() => end())
  return {
    streaming: true,
    account: stream.account,
    cancel() {
      end()
      stream.cancel()
    },
    [Symbol.asyncIterator]() {
      const source = stream[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const part = await source.next()
            if (part.done === true) end()
            else bytes += part.value.byteLength
            return part
          } catch (thrown) {
            end(thrown instanceof RpcError && peerFailures.has(thrown.code) ? thrown : undefined)
            throw thrown
          }
        },
        async return() {
          end()
          return (await source.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}
