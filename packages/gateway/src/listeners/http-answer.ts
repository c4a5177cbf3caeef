import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { HttpAnswer } from '../errors.ts'

/** Headers of every answer, flat. The origin is echoed; credentials that a browser keeps are not asked for. */
export function commonHeaders(origin: string | undefined, traceId: string): string[] {
  const headers = ['Vary', 'Origin', 'X-Trace-Id', traceId]
  if (origin !== undefined) {
    headers.push(
      'Access-Control-Allow-Origin',
      origin,
      'Access-Control-Expose-Headers',
      'X-Trace-Id, Retry-After, X-Wayleave-Derived-From',
    )
  }
  return headers
}

/** Sends a short answer. */
export function sendAnswer(response: ServerResponse, answer: HttpAnswer, headers: readonly string[]): void {
  writeHead(response, answer, headers)
  response.end(answer.body)
}

/** How long a body that nobody needs is read, in ms. */
const lingerMs = 2_000

/**
 * Sends a short answer to a request whose body may still be coming: a connection that ended before would be reset, and
 * the caller lose the answer.
 */
export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpAnswer,
  headers: readonly string[],
  clock: Clock,
): void {
  if (request.readableEnded) return sendAnswer(response, answer, headers)
  writeHead(response, answer, headers)
  response.write(answer.body)
  const end = (): void => void response.end()
  const stop = clock.after(lingerMs, end)
  request.on('end', end)
  response.on('close', stop)
  request.resume()
}

function writeHead(response: ServerResponse, answer: HttpAnswer, headers: readonly string[]): void {
  const { status, contentType, body } = answer
  response.writeHead(status, [
    'Content-Type',
    contentType,
    'Content-Length',
    String(Buffer.byteLength(body)),
    ...headers,
    ...answer.headers,
  ])
}

/** Answers a CORS preflight, which carries no credentials and needs none. */
export function sendPreflight(response: ServerResponse, origin: string | undefined, traceId: string): void {
  response.writeHead(204, [
    'Vary',
    'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    ...(origin === undefined ? [] : ['Access-Control-Allow-Origin', origin]),
    'Access-Control-Allow-Methods',
    'POST, OPTIONS',
    'Access-Control-Allow-Headers',
    'Content-Type, Authorization, User-Agent, Infura-Source, X-Client-Id, X-Wayleave-Marks',
    'Access-Control-Max-Age',
    '86400',
    'X-Trace-Id',
    traceId,
  ])
  response.end()
}
