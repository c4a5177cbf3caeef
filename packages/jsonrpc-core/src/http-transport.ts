import {
  cutAnswer,
  decodeBody,
  invalid,
  readAnswer,
  readAnswerBytes,
  readErrorObject,
  startsWithAscii,
} from './answer.ts'
import { createAnswerStream } from './answer-stream.ts'
import { ChunkList } from './chunk-list.ts'
import type { Clock } from './clock.ts'
import type { RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { createFetchPort } from './fetch-port.ts'
import { printCall, resultPrefix } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import { collectBody, lengthOf, responseTooLarge } from './http-body.ts'
import type { HttpPort, HttpReply } from './http-port.ts'
import { skipSpace } from './json-scan.ts'
import { portFailure } from './port-failure.ts'
import type { RpcErrorObject, RpcResponse } from './response.ts'
import { parseRetryAfter } from './retry-after.ts'

export interface HttpTransportOptions {
  /** Where the peer is; may hold a key in its path. It appears in no error. */
  readonly url: string
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: `fetch`. */
  readonly http?: HttpPort
  /** Longest body that is held, in bytes, counted while it arrives and after decompression. Default 10 MiB. */
  readonly maxResponseBytes?: number
  /** Results longer than this become streams where the caller takes them. Default 256 kB. */
  readonly streamAboveBytes?: number
  readonly clock?: Clock
}

/** Bodies up to this length are read as text. */
const longestText = 65_536
/** What is read of a body that comes with an error status. */
const longestErrorBody = 65_536

/** A handler that asks one peer over HTTP: one POST a call. Never retries. */
export function createHttpTransport(options: HttpTransportOptions): RpcHandler {
  const { url, clock = systemClock, maxResponseBytes = 10 * 1024 * 1024, streamAboveBytes = 256_000 } = options
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
    if (reply.status !== 200) return readFailure(reply, id, clock, context)
    const chunks = reply.body
    if (!Array.isArray(chunks))
      return readArriving(chunks as AsyncIterable<Uint8Array>, id, context, maxResponseBytes, streamAboveBytes)
    return readWhole(chunks as readonly Uint8Array[], lengthOf(chunks as readonly Uint8Array[]), id, maxResponseBytes)
  }
}

/** The request headers of a JSON-RPC call, flat. */
export function flatHeaders(further: Readonly<Record<string, string>> = {}): readonly string[] {
  return ['content-type', 'application/json', 'accept', 'application/json', ...Object.entries(further).flat()]
}

function readWhole(chunks: readonly Uint8Array[], length: number, id: number, cap: number): RpcResponse {
  if (length > cap) throw responseTooLarge(cap)
  if (length === 0) throw invalid('the response body is empty')
  return length <= longestText ? readAnswer(decodeBody(chunks), id) : readAnswerBytes(chunks, id)
}

async function readArriving(
  body: AsyncIterable<Uint8Array>,
  id: number,
  context: RpcContext,
  cap: number,
  streamAbove: number,
): Promise<RpcResponse> {
  const source = body[Symbol.asyncIterator]()
  const held = new ChunkList()
  for (;;) {
    let next: IteratorResult<Uint8Array>
    try {
      next = await source.next()
    } catch (thrown) {
      throw portFailure(thrown, 'while the response was read')
    }
    const { done, value } = next
    if (done === true) return readWhole(held.chunks, held.byteLength, id, cap)
    held.add(value)
    if (held.byteLength > streamAbove && context.acceptStream) {
      const offset = resultOffset(held, id)
      if (offset > 0) return { result: createAnswerStream(held.chunks, source, offset) }
    }
    if (held.byteLength > cap) {
      // Not waited for: a body that stalls would never be left.
      source.return?.().then(undefined, () => {})
      throw responseTooLarge(cap)
    }
  }
}

/** Where the result starts in the first chunk; -1 where the frame is of an unusual order. */
function resultOffset(body: ChunkList, id: number): number {
  const prefix = resultPrefix(id)
  const first = body.head(prefix.length + 1)
  if (first === undefined || !startsWithAscii(first, prefix)) return -1
  const next = first[prefix.length]
  // White space before the result is legal, but its scanner begins at the result.
  return next === 0x20 || next === 0x0a || next === 0x0d || next === 0x09 ? -1 : prefix.length
}

/** A body beside an error status, where it is short and whole: what cannot be read does not hide the status. */
async function errorBody(body: HttpReply['body'], context: RpcContext): Promise<readonly Uint8Array[]> {
  try {
    return await collectBody(body, longestErrorBody)
  } catch {
    if (context.cancelled !== undefined) throw context.cancelled
    return []
  }
}

/** Statuses that say the peer did not consider the call, whatever the body says. */
const notConsidered = new Set([401, 402, 403, 407, 408, 413, 425, 429])

/**
 * An answer that came with another status than 200: a peer's JSON-RPC error where there is one for call `id`, else a rejection.
 * `id` is undefined where the request held several calls.
 */
export async function readFailure(
  reply: HttpReply,
  id: number | undefined,
  clock: Clock,
  context: RpcContext,
): Promise<RpcResponse> {
  const { status } = reply
  const found = findError(await errorBody(reply.body, context))
  const considered = status >= 400 && status < 500 && !notConsidered.has(status)
  if (considered && found?.answers === String(id)) return { error: found.error }
  throw new RpcError('http_status', `HTTP status ${status} came instead of an answer`, {
    httpStatus: status,
    retryAfterMs: parseRetryAfter(reply.headers.get('retry-after'), clock.date()),
    rpc: found?.error,
  })
}

/** The error object in a body; `answers` is the raw id of the call where the rest of the envelope is right, too. */
function findError(
  chunks: readonly Uint8Array[],
): { readonly answers: string | undefined; readonly error: RpcErrorObject } | undefined {
  try {
    const text = decodeBody(chunks)
    const answer = cutAnswer(text, skipSpace(text, 0))
    if (answer?.error === undefined) return undefined
    const error = readErrorObject(answer.error)
    const proper = answer.version === '"2.0"' && !answer.repeated && skipSpace(text, answer.end) === text.length
    return { answers: proper ? answer.id : undefined, error }
  } catch {
    // Not JSON-RPC: the status alone speaks.
    return undefined
  }
}
