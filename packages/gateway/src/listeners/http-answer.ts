import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { HttpAnswer } from '../errors.ts'

/** What web pages may read of the answers to calls. */
const exposedOfCalls = 'X-Trace-Id, Retry-After, X-Wayleave-Derived-From'

/**
 * Headers of every answer, flat. The origin is echoed; credentials that a browser keeps are not asked for. `exposed`: what
 * web pages may read.
 */
export function commonHeaders(origin: string | undefined, traceId: string, exposed: string = exposedOfCalls): string[] {
  const headers = ['Vary', 'Origin', 'X-Trace-Id', traceId]
  if (origin !== undefined) {
    headers.push('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed)
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
  writeHead(response, answer, headers)
  lingerOn(request, response, answer.body, clock)
}

/** Ends an answer whose head was written with `body`, once nothing more of the request comes. */
export function lingerOn(request: IncomingMessage, response: ServerResponse, body: string, clock: Clock): void {
  if (request.readableEnded) return void response.end(body)
  response.write(body)
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

/** What a web page may send: the methods of a path, and headers beside those that need no leave. */
export interface PageRights {
  readonly methods: string
  readonly headers: string
}

/** Answers a CORS preflight, which carries no credentials and needs none. */
export function sendPreflight(
  response: ServerResponse,
  origin: string | undefined,
  traceId: string,
  rights: PageRights,
): void {
  response.writeHead(204, [
    'Vary',
    'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    ...(origin === undefined ? [] : ['Access-Control-Allow-Origin', origin]),
    'Access-Control-Allow-Methods',
    rights.methods,
    'Access-Control-Allow-Headers',
    rights.headers,
    'Access-Control-Max-Age',
    '86400',
    'X-Trace-Id',
    traceId,
  ])
  response.end()
}
