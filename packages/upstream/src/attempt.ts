import {
  type Clock,
  isStream,
  type RpcContext,
  RpcError,
  type RpcErrorCode,
  type RpcErrorObject,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { AttemptOutcome, ErrorVerdict, PoolCall } from './attempt-outcome.ts'
import { mayHaveIt, type Write, type WriteOutcome } from './broadcast/write.ts'
import type { CallSlots, Slot } from './call-slots.ts'
import type { Endpoint } from './endpoint.ts'
import { type FailureKind, failureKindOf, isAboutKey } from './health/failure-kind.ts'
import type { HealthTicket } from './health/upstream-health.ts'
import type { Race } from './race.ts'
import { patienceMs } from './failsafe/hedging.ts'
import { watchedStream } from './watched-stream.ts'

/** The options of a pool that concern one attempt. */
export interface AttemptOptions {
  readonly clock: Clock
  /**
   * Says what a peer's error means; undefined: it is the answer. For a write only those may mean something after which it cannot have been
   * done. Default: every error is the answer.
   */
  readonly verdictOf?: (request: RpcRequest, error: RpcErrorObject) => ErrorVerdict | undefined
  /** Whether a failure means that the upstream's answer is false. Default: none does. */
  readonly isFalse?: (why: RpcError) => boolean
  /** Whether an answer is false by itself: it counts as a failure, and another upstream is asked. Default: none is. */
  readonly isImpossible?: (request: RpcRequest, response: RpcResponse) => boolean
  /** Whether an answer was verified: after sixteen of them, an earlier false one counts no more. Default: none is. */
  readonly isVerified?: (response: RpcResponse) => boolean
  /** Whether an answer to a read counts only if no other upstream has a better one. `spare`: the first such one. Default: none does. */
  readonly isLastResort?: (
    response: RpcResponse,
    spare: RpcResponse | undefined,
    request: RpcRequest,
    endpoint: Endpoint,
    context: RpcContext,
  ) => boolean
  /** The answer to a read in place of a last resort that is all there is. Default: the last resort itself. */
  readonly insteadOf?: (response: RpcResponse, request: RpcRequest) => RpcResponse
  /** Whether an answer says that the endpoint cannot take the call and was not asked: it counts only if no other one answers, for a write too. Default: none does. */
  readonly isRefusal?: (response: RpcResponse) => boolean
  /** Called with each attempt that begins, under the context of its call; `isHedge`: another one is on its way; `now`: the time, in ms. */
  readonly onAttempt?: (
    endpoint: Endpoint,
    request: RpcRequest,
    context: RpcContext,
    isHedge: boolean,
    now: number,
  ) => void
  /** Called with each answer, also with a peer's error that is one, the time that it took, in ms, and the context of its call. */
  readonly onAnswer?: (
    endpoint: Endpoint,
    request: RpcRequest,
    response: RpcResponse,
    ms: number,
    context: RpcContext,
  ) => void
  /** Called with each attempt that failed, also with each stream that broke off, the context of its call, and the time since it began, in ms. */
  readonly onFailure?: (
    endpoint: Endpoint,
    kind: FailureKind,
    why: RpcError | RpcErrorObject,
    request: RpcRequest,
    context: RpcContext,
    ms: number,
  ) => void
}

/**
 * Asks the endpoint of a slot under the call's context, or in a race, records in its health how it fared, gives the slot back when the
 * answer has ended, and tells the call. `now`: the time, in ms.
 */
export type Attempt = (slot: Slot, call: PoolCall, race: Race | undefined, now: number) => void

/** Failures that another upstream would not mend. */
const finalCodes = new Set<RpcErrorCode>(['aborted', 'denied', 'too_large'])
/** Whether another upstream would not mend a failure; nor would it where this host refuses the answer, in words of its own. */
function isFinal({ code, rpc }: RpcError): boolean {
  return finalCodes.has(code) || (code === 'overloaded' && rpc !== undefined)
}

const no = (): boolean => false
const rethrow = (_it: Attempted, thrown: unknown): never => {
  throw thrown
}

/** Errors of servers that do not say whether they have the method: of the request, of the server. */
const saysNothing = new Set([-32_600, -32_601, -32_603])
/** Whether an answer shows that its upstream has the method: it is a result, or an error about the call. */
const isServed = (error: RpcErrorObject | undefined): boolean => error === undefined || !saysNothing.has(error.code)

/** Adds to an answer who gave it. To spread an object costs a tenth of the pool's time, and most answers have two members at most. */
function named(response: RpcResponse, endpoint: string, attempts: number): RpcResponse {
  const meta = response.meta === undefined ? { endpoint, attempts } : { ...response.meta, endpoint, attempts }
  if (response.error !== undefined) return { error: response.error, meta }
  const { result, subscription } = response
  return subscription === undefined ? { result, meta } : { result, subscription, meta }
}

/** One attempt on its way. */
interface Attempted {
  readonly slot: Slot
  readonly call: PoolCall
  readonly race: Race | undefined
  readonly ticket: HealthTicket
  /** Its number among those of its call, from 1. */
  readonly nth: number
}

export function createAttempt(options: AttemptOptions, slots: CallSlots): Attempt {
  const { clock, verdictOf, onAttempt, onAnswer, onFailure, insteadOf = (attempted) => attempted } = options
  const { isFalse = no, isImpossible = no, isVerified = no, isLastResort = no, isRefusal = no } = options

  const kindOf = (why: RpcError): FailureKind => {
    if (isFalse(why)) return 'false_answer'
    return failureKindOf(why) ?? (why.code === 'overloaded' ? 'overloaded' : 'internal')
  }

  /** Gives the slot back, and leaves the race. */
  function end({ slot, race }: Attempted, bytes?: number): void {
    slots.release(slot, bytes)
    race?.release()
  }

  /** Says what an answer means; `reported`: what it tells of a write. */
  function answered(attempted: Attempted, came: RpcResponse, reported?: WriteOutcome): AttemptOutcome {
    const { slot, call, ticket, nth } = attempted
    const { endpoint, health } = slot.candidate
    const { request, context } = call
    if (reported?.kind === 'false') return failed(attempted, reported.why, true)
    if (isImpossible(request, came))
      return failed(attempted, new RpcError('invalid_response', `the answer to ${request.method} is of no chain`), true)
    const { response = came, kind: write } = reported ?? {}
    if (isRefusal(response)) {
      health.abandoned(ticket, ticket.since)
      end(attempted)
      return { kind: 'refusal', response, verdict: undefined }
    }
    const now = clock.now()
    const answer = named(response, endpoint.name, nth)
    if (answer.error !== undefined && write !== 'done') {
      const verdict = verdictOf?.(request, answer.error)
      if (verdict !== undefined) {
        const { kind, retryAfterMs } = verdict
        health.failed(ticket, kind, now, { retryAfterMs, method: request.method })
        onFailure?.(endpoint, kind, answer.error, request, context, now - ticket.since)
        end(attempted)
        return { kind: 'refusal', response: answer, verdict, write }
      }
    }
    health.succeeded(ticket, now, isVerified(response), isServed(answer.error) ? request.method : undefined)
    onAnswer?.(endpoint, request, response, now - ticket.since, context)
    const isSpare = call.repeatable && isLastResort(response, call.spare, request, endpoint, context)
    const kind = isSpare ? 'spare' : 'answer'
    if (answer.error !== undefined) {
      end(attempted)
      if (mayHaveIt(write)) return { kind: 'refusal', response: answer, verdict: undefined, write }
      return { kind, response: answer, write }
    }
    if (!isStream(answer.result)) {
      end(attempted, answer.result.byteLength)
      return { kind, response: isSpare ? insteadOf(answer, request) : answer }
    }
    const result = watchedStream(answer.result, context, (broken, passed) => {
      end(attempted, passed)
      if (broken === undefined) return
      const failure = kindOf(broken)
      const at = clock.now()
      health.failed(ticket, failure, at)
      onFailure?.(endpoint, failure, broken, request, context, at - ticket.since)
    })
    return { kind, response: { ...answer, result } }
  }

  function failed(attempted: Attempted, thrown: unknown, isInvalid: boolean): AttemptOutcome {
    const { call, race, ticket } = attempted
    const { candidate } = attempted.slot
    const { endpoint, health } = candidate
    const { request, context } = call
    const now = clock.now()
    end(attempted)
    const cancelled = context.cancelled ?? race?.cancelled
    if (cancelled !== undefined) {
      // An upstream that was asked late had no time to answer.
      const isTimeout = cancelled.code === 'timeout' && now - ticket.since >= patienceMs(candidate, call.class)
      if (isTimeout) {
        health.failed(ticket, 'timeout', now)
        onFailure?.(endpoint, 'timeout', cancelled, request, context, now - ticket.since)
      } else health.abandoned(ticket, now)
      return context.cancelled === undefined ? { kind: 'abandoned' } : { kind: 'final', why: context.cancelled }
    }
    const why = toRpcError(thrown, 'unavailable', 'the endpoint failed')
    if (isFinal(why)) {
      // The upstream is not to blame; one whose answer was too long has answered.
      if (why.code === 'too_large') health.failed(ticket, 'range_too_large', now)
      else health.abandoned(ticket, ticket.since)
      return call.spare === undefined ? { kind: 'final', why } : { kind: 'abandoned' }
    }
    const failure = isInvalid ? 'false_answer' : kindOf(why)
    health.failed(ticket, failure, now, { retryAfterMs: why.retryAfterMs, method: request.method })
    onFailure?.(endpoint, failure, why, request, context, now - ticket.since)
    const isUndone = why.delivery === 'not_sent' || isAboutKey(failure)
    const mayGoOn = call.repeatable || call.write !== undefined || isUndone
    return { kind: mayGoOn ? 'failure' : 'final', why, failure }
  }

  /** Tells the call the outcome of an attempt, by what came of it. */
  function settle<T>(
    attempted: Attempted,
    judgeIt: (attempted: Attempted, given: T) => AttemptOutcome,
    given: T,
  ): void {
    const { slot, call, race } = attempted
    try {
      let outcome: AttemptOutcome
      try {
        outcome = judgeIt(attempted, given)
      } catch (thrown) {
        outcome = failed(attempted, thrown, false)
      }
      call.settled(outcome, slot.candidate, race)
    } catch (thrown) {
      call.broken(thrown)
    }
  }

  const fail = (attempted: Attempted, thrown: unknown): void => settle(attempted, rethrow, thrown)

  async function settleWrite(attempted: Attempted, response: RpcResponse, write: Write): Promise<void> {
    const { slot, call, race } = attempted
    const { endpoint, spend } = slot.candidate
    const context = race ?? call.context
    const reported = await write.outcomeOf(response, (question) => {
      const now = clock.now()
      spend?.begin(question.method, now)
      onAttempt?.(endpoint, question, context, false, now)
      return endpoint.handler(question, context)
    })
    settle(attempted, (_it, given) => answered(attempted, given, reported), response)
  }

  return (slot, call, race, now) => {
    const { endpoint, health, spend } = slot.candidate
    const { request, context, write } = call
    const nth = ++call.attempts
    const attempted: Attempted = { slot, call, race, ticket: health.begin(call.class, now), nth }
    try {
      spend?.begin(request.method, now)
      onAttempt?.(endpoint, request, context, race?.isHedge === true, now)
      endpoint.handler(request, race ?? context).then(
        (response) => {
          if (write === undefined) settle(attempted, answered, response)
          else settleWrite(attempted, response, write).catch((thrown: unknown) => fail(attempted, thrown))
        },
        (thrown: unknown) => fail(attempted, thrown),
      )
    } catch (thrown) {
      fail(attempted, thrown)
    }
  }
}
