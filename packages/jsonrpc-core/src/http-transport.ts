import { cutAnswer, decodeBody, invalid, readAnswer, readAnswerBytes, readErrorObject, startsWithAscii } from './answer.ts'
import { type AnswerStream, createAnswerStream } from './answer-stream.ts'
import type { Clock } from './clock.ts'
import type { RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { createFetchPort } from './fetch-port.ts'
import { printCall, resultPrefix } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import type { HttpPort, HttpReply } from './http-port.ts'
import { skipSpace } from './json-scan.ts'
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
    const reply = await http({ url, headers, body: printCall(id, request) }, context)
    if (reply.status !== 200) return readFailure(reply, id, clock)
    const { body } = reply
    if (!Array.isArray(body)) return readArriving(body as AsyncIterable<Uint8Array>, id, context, maxResponseBytes, streamAboveBytes)
    return readWhole(body as readonly Uint8Array[], lengthOf(body as readonly Uint8Array[]), id, maxResponseBytes)
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
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await source.next()
    if (done === true) return readWhole(chunks, length, id, cap)
    chunks.push(value)
    length += value.byteLength
    if (length > streamAbove && context.acceptStream && startsWithAscii(chunks[0]!, resultPrefix(id))) {
      const stream: AnswerStream = createAnswerStream(chunks, source, resultPrefix(id).length)
      return { result: stream }
    }
    if (length > cap) {
      await source.return?.()
      throw responseTooLarge(cap)
    }
  }
}

/** Reads up to `cap` bytes of a body and leaves the rest. */
async function readSome(body: HttpReply['body'], cap: number): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > cap) break
    chunks.push(chunk)
  }
  return chunks
}

/** Statuses that say the peer did not consider the call, whatever the body says. */
const notConsidered = new Set([401, 402, 403, 407, 408, 413, 425, 429])

/** An answer that came with another status than 200: a peer's JSON-RPC error where there is one for this call, else a rejection. */
export async function readFailure(reply: HttpReply, id: number, clock: Clock): Promise<RpcResponse> {
  const { status } = reply
  const found = findError(await readSome(reply.body, longestErrorBody))
  if (found !== undefined && found.id === String(id) && status >= 400 && status < 500 && !notConsidered.has(status)) {
    return { error: found.error }
  }
  throw new RpcError('http_status', `HTTP status ${status} came instead of an answer`, {
    httpStatus: status,
    retryAfterMs: parseRetryAfter(reply.headers.get('retry-after'), clock.date()),
    rpc: found?.error,
  })
}

function findError(chunks: readonly Uint8Array[]): { id: string | undefined; error: RpcErrorObject } | undefined {
  try {
    const text = decodeBody(chunks)
    const answer = cutAnswer(text, skipSpace(text, 0))
    if (answer?.error === undefined) return undefined
    return { id: answer.id, error: readErrorObject(answer.error) }
  } catch {
    // Not JSON-RPC: the status alone speaks.
    return undefined
  }
}

export function responseTooLarge(cap: number): RpcError {
  return new RpcError('too_large', `the response is longer than ${cap} bytes`)
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  return length
}
