import { asJson, internalError, type JsonAnswer, jsonAnswer, printAnswer, refusalAnswer } from '../errors.ts'
import { type HttpAnswer, type HttpExchange, prefersJson, sendAnswer, sendEarly } from '../http/answer.ts'
import type { Blocks } from '../http/block-writer.ts'
import type { Inflater } from '../http/inflate.ts'
import type { ListenerOptions } from '../listener-options.ts'
import { errorClass } from '../ops/log.ts'
import type { Refusal } from '../refusal.ts'

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
  /** The headers of every answer, flat. */
  readonly headers: readonly string[]
}

/** Refuses a request before it becomes a call. */
export function refuse({ options, request, response, traceId, headers }: Call, answer: HttpAnswer | JsonAnswer): void {
  options.metrics.refused(answer.status)
  sendEarly(request, response, printAnswer(answer, traceId), headers, options.clock)
}

/** Refuses a request that was not admitted. */
export function refuseCaller(call: Call, refusal: Refusal): void {
  const answer = refusalAnswer(refusal)
  refuse(call, prefersJson(call.request.headers.accept) ? asJson(answer) : answer)
}

/** Answers a request that failed by a bug. */
export function fail({ options, response, traceId, headers }: Call, thrown: unknown): void {
  const kind = ['request', errorClass(thrown)]
  options.log.repeats.error(kind, { traceId, err: thrown }, 'a request failed inside the gateway')
  if (response.headersSent) response.destroy()
  else sendAnswer(response, printAnswer(jsonAnswer(500, internalError), traceId), headers)
}
