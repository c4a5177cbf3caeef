import type { ServerResponse } from 'node:http'
import type { HttpAnswer } from '../errors.ts'

/** Headers of every answer, flat. The origin is echoed; credentials that a browser keeps are not asked for. */
export function commonHeaders(origin: string | undefined, traceId: string | undefined): string[] {
  const headers = ['Vary', 'Origin']
  if (traceId !== undefined) headers.push('X-Trace-Id', traceId)
  if (origin !== undefined) {
    headers.push('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', 'X-Trace-Id, Retry-After')
  }
  return headers
}

/** Sends a short answer. */
export function sendAnswer(response: ServerResponse, answer: HttpAnswer, headers: readonly string[]): void {
  const { status, contentType, body } = answer
  response.writeHead(status, [
    'Content-Type',
    contentType,
    'Content-Length',
    String(Buffer.byteLength(body)),
    ...headers,
    ...answer.headers,
  ])
  response.end(body)
}

/** Answers a CORS preflight, which carries no credentials and needs none. */
export function sendPreflight(response: ServerResponse, origin: string | undefined): void {
  response.writeHead(204, [
    'Vary',
    'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    ...(origin === undefined ? [] : ['Access-Control-Allow-Origin', origin]),
    'Access-Control-Allow-Methods',
    'POST, OPTIONS',
    'Access-Control-Allow-Headers',
    'Content-Type, Authorization, User-Agent, Infura-Source, X-Client-Id',
    'Access-Control-Max-Age',
    '86400',
  ])
  response.end()
}
