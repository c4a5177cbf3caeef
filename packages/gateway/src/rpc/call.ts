import type { Clock, RpcError } from '@wayleave/jsonrpc-core'
import {
  type Blocks,
  type Compressor,
  type HttpAnswer,
  type Inflater,
  prefersJson,
  sendAnswer,
  sendEarly,
} from '@wayleave/http-server'
import { errorClass } from '@wayleave/telemetry'
import { asJson, internalError, type JsonAnswer, jsonAnswer, printAnswer, refusalAnswer } from '../errors.ts'
import type { ListenerOptions } from '../listener-options.ts'
import { causeOf, type Refusal } from '../refusal.ts'
import type { RequestRefusal } from '../trace/call-record.ts'
import { traceOf } from '../trace/call-trace.ts'
import { withoutParams } from '../trace/words.ts'
import type { RequestSpan } from '../trace/request-span.ts'
import type { GatewayContext } from '../context/context.ts'
import type { HttpExchange } from '../exchange.ts'

/** The parts of the gateway that an answer to a call needs. */
export interface HttpCallOptions extends Omit<ListenerOptions, 'tls'> {
  /** Called with the byte count of each part of a large answer. */
  readonly onPassed: (bytes: number) => void
  /** Blocks that large answers are written from. */
  readonly blocks: Blocks
}

/** One request on its way. */
export interface Call extends HttpExchange {
  readonly options: HttpCallOptions
  readonly inflater: Inflater
  readonly compressor: Compressor
  readonly span: RequestSpan | undefined
  /** The headers of every answer, flat. */
  readonly headers: readonly string[]
}

/** Refuses a request before it becomes a call. `cause`: for operators, where the answer does not tell it. */
export function refuse(
  { options, request, response, traceId, headers }: Call,
  answer: HttpAnswer | JsonAnswer,
  cause?: string,
): void {
  options.metrics.refusals(String(answer.status)).add()
  options.recorder.refused(refusalOf(answer, traceId, options.clock, cause))
  sendEarly(request, response, printAnswer(answer, traceId), headers, options.clock)
}

/** Notes the refusal of a request, for whoever asks for its trace id. `cause`: where the answer does not tell it. */
export function refusalOf(
  answer: HttpAnswer | JsonAnswer,
  traceId: string,
  { now }: Pick<Clock, 'now'>,
  cause?: string,
): RequestRefusal {
  const reported = withoutParams('error' in answer ? answer.error.message : answer.body.trimEnd())
  const message = cause === undefined ? reported : `${reported} (${cause})`
  return { id: traceId, at: now(), status: answer.status, message }
}

/** Notes a reply to a body in which no call was read; `status`: that of HTTP. */
export function noteUnread(
  { recorder, clock }: Pick<HttpCallOptions, 'recorder' | 'clock'>,
  body: string,
  { isRead, caller }: GatewayContext,
  status: number,
): void {
  if (isRead || body === '') return
  const [{ error }] = [JSON.parse(body)].flat() as [{ readonly error?: { readonly message: string } }]
  if (error === undefined) return
  recorder.refused({ id: caller.traceId, at: clock.now(), status, message: withoutParams(error.message) })
}

/** Notes that an answer broke off, or could not be sent, after its call had gone well. */
export function noteBroken(
  { recorder, clock }: Pick<HttpCallOptions, 'recorder' | 'clock'>,
  context: GatewayContext,
  why: RpcError,
): void {
  const trace = traceOf(context)
  if (trace === undefined) return
  recorder.keep({
    trace,
    ms: clock.now() - trace.begunAt,
    outcome: why.code === 'aborted' ? 'cancelled' : 'failed',
    code: why.code,
    message: `the answer broke off: ${withoutParams(why.message)}`,
    upstream: undefined,
    cache: undefined,
    verification: undefined,
    candidates: [],
  })
}

/** Refuses a request that was not admitted. */
export function refuseCaller(call: Call, refusal: Refusal): void {
  const answer = refusalAnswer(refusal)
  refuse(call, prefersJson(call.request.headers.accept) ? asJson(answer) : answer, causeOf(refusal))
}

/** Answers a request that failed by a bug. */
export function fail({ options, response, traceId, headers }: Call, thrown: unknown): void {
  const kind = ['request', errorClass(thrown)]
  options.metrics.refusals('500').add()
  options.log.repeats.error(kind, { traceId, err: thrown }, 'a request failed inside the gateway')
  if (response.headersSent) response.destroy()
  else sendAnswer(response, printAnswer(jsonAnswer(500, internalError), traceId), headers)
}
