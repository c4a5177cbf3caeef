import { cutAnswer, readAnswer, readErrorObject } from './answer.ts'
import type { Clock } from './clock.ts'
import type { RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { createFetchPort } from './fetch-port.ts'
import { printCall } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import { collectText } from './http-body.ts'
import type { HttpPort, HttpReply } from './http-port.ts'
import { skipSpace } from './json-scan.ts'
import { portFailure } from './port-failure.ts'
import type { RpcResponse } from './response.ts'
import type { PeerWords, RpcErrorObject } from './wire.ts'

/** Reads the answer to call `id` from a body of at most `cap` bytes. */
export type AnswerReader = (
  body: HttpReply['body'],
  id: number,
  context: RpcContext,
  cap: number,
) => RpcResponse | Promise<RpcResponse>

export interface HttpTransportOptions {
  /** The peer's URL. It may hold a key in its path, and appears in no error. */
  readonly url: string
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: `fetch`. */
  readonly http?: HttpPort
  /** Longest body that is held, in bytes, counted while it arrives and after decompression. Default 10 MiB. */
  readonly maxResponseBytes?: number
  /** Reads answers. Default: whole, as text. `streamAnswers()` passes long results on as streams. */
  readonly answers?: AnswerReader
  /** Prepares the words of a peer beside an error status for the message. Default: no message holds them. */
  readonly words?: PeerWords
  readonly clock?: Clock
}

/** Longest body beside an error status that is read, in bytes. */
const longestErrorBody = 65_536

/** Makes a handler that asks one peer over HTTP, with one POST a call. It never retries. */
export function createHttpTransport(options: HttpTransportOptions): RpcHandler {
  const { url, clock = systemClock, maxResponseBytes = 10 * 1024 * 1024, answers = readText, words } = options
  const http = options.http ?? createFetchPort()
  const headers = flatHeaders(options.headers)
  let lastId = 0

  return async (request, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    const id = ++lastId
    const body = printCall(id, request)
    let reply: HttpReply
    try {
      reply = await http({ url, headers, body }, context)
    } catch (thrown) {
      throw portFailure(thrown, 'before a response came')
    }
    // The body beside any status of success is the answer (RFC 9110 §15.3).
    if (reply.status > 299) return readFailure(reply, id, clock, context, words)
    return answers(reply.body, id, context, maxResponseBytes)
  }
}

const readText: AnswerReader = async (body, id, _context, cap) => readAnswer(await collectText(body, cap), id)

/** Makes the request headers of a JSON-RPC call, flat. */
export function flatHeaders(further: Readonly<Record<string, string>> = {}): readonly string[] {
  return ['content-type', 'application/json', 'accept', 'application/json', ...Object.entries(further).flat()]
}

/** Statuses by which a peer says that it did not consider the call, whatever the body says. */
const notConsidered = new Set([401, 402, 403, 407, 408, 413, 425, 429])

/**
 * Reads a response whose status is none of an answer: the peer's JSON-RPC error if the body has one for call `id`, else it rejects.
 * `id` is undefined if the request held several calls.
 */
export async function readFailure(
  reply: HttpReply,
  id: number | undefined,
  clock: Clock,
  context: RpcContext,
  words: PeerWords = () => '',
): Promise<RpcResponse> {
  const { status } = reply
  const text = await errorText(reply.body, context)
  const found = findError(text)
  const considered = status >= 400 && status < 500 && !notConsidered.has(status)
  if (considered && id !== undefined && found?.answers === String(id)) return { error: found.error }
  const said = words(found?.error.message ?? text)
  throw new RpcError('http_status', `HTTP status ${status} came instead of an answer${said && `: ${said}`}`, {
    httpStatus: status,
    retryAfterMs: parseRetryAfter(reply.headers.get('retry-after'), clock.date()),
    rpc: found?.error,
  })
}

/** Reads a short body beside an error status. One that cannot be read counts as empty: it must not hide the status. */
async function errorText(body: HttpReply['body'], context: RpcContext): Promise<string> {
  try {
    return await collectText(body, longestErrorBody)
  } catch {
    if (context.cancelled !== undefined) throw context.cancelled
    return ''
  }
}

/** Finds the error object in a body. `answers` is the raw id of its call, if the rest of the envelope is right, too. */
function findError(text: string): { readonly answers: string | undefined; readonly error: RpcErrorObject } | undefined {
  const answer = cutAnswer(text, skipSpace(text, 0))
  if (answer?.error === undefined) return undefined
  try {
    const error = readErrorObject(answer.error)
    const proper = answer.jsonrpc === '"2.0"' && !answer.repeated && skipSpace(text, answer.end) === text.length
    return { answers: proper ? answer.id : undefined, error }
  } catch {
    // The body is not JSON-RPC, so the status alone counts.
    return undefined
  }
}

/**
 * Reads `Retry-After`: seconds, or an HTTP date (RFC 9110 §10.2.3).
 * `now` is the wall clock in ms. Returns ms, or undefined if the value is absent or neither.
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const trimmed = value.trim()
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * 1000
  if (!/^[A-Z][a-z]{2}/.test(trimmed)) return undefined
  // oxlint-disable-next-line eslint/no-restricted-globals -- parsing a given date reads no clock
  const at = Date.parse(trimmed)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
