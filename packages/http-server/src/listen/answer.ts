import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@wayleave/jsonrpc-core'

/** A short answer that is not a result: a refusal, or a line about health. */
export interface HttpAnswer {
  readonly status: number
  readonly contentType: 'application/json' | 'text/plain; charset=utf-8'
  readonly body: string
  /** Further headers, flat. */
  readonly headers: readonly string[]
}

/** Makes an {@link HttpAnswer} in plain text. */
export function plainAnswer(status: number, body: string, headers: readonly string[] = []): HttpAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body, headers }
}

/** Makes the answer to a method that a path does not take. */
export function useGet(): HttpAnswer {
  return plainAnswer(405, 'use GET\n', ['Allow', 'GET, HEAD'])
}

/** Forbids browsers to take an answer for something else than its type says, flat. */
export const nosniff: readonly string[] = ['X-Content-Type-Options', 'nosniff']

/**
 * Makes the headers of every answer, flat. The origin is echoed; a browser's stored credentials are not asked for. `exposed` lists the
 * headers that web pages may read.
 */
export function commonHeaders(origin: string | undefined, traceId: string, exposed: string): string[] {
  const headers = ['Vary', 'Origin', ...nosniff, 'X-Trace-Id', traceId]
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
 * Sends a short answer to a request whose body may still be coming. Ending the connection earlier would reset it, and the caller would
 * lose the answer.
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

/** Ends an answer whose head was written with `body`, once the request has ended or two seconds have passed. */
export function lingerOn(request: IncomingMessage, response: ServerResponse, body: string, clock: Clock): void {
  if (request.readableEnded || request.socket.destroyed) return void response.end(body)
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

/** The methods and headers that a web page may send to a path. */
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
    ...nosniff,
  ])
  response.end()
}

/** Tells whether an `Accept` header weighs JSON higher than plain text (RFC 9110 §12.5.1). */
export function prefersJson(accept: string | undefined): boolean {
  return accept !== undefined && weightOf(accept, 'application', 'json') > weightOf(accept, 'text', 'plain')
}

/** The weight of the most specific range that holds the type. */
function weightOf(accept: string, type: string, subtype: string): number {
  const weights: (number | undefined)[] = [undefined, undefined, undefined]
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const level = [`${type}/${subtype}`, `${type}/*`, '*/*'].indexOf(range)
    if (level < 0) continue
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    weights[level] = q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return weights.find((weight) => weight !== undefined) ?? 0
}
