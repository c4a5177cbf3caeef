import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHead } from './request-head.ts'

/** One request on its way through a listener, with what every answer to it needs. */
export interface HttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly head: RequestHead
  readonly traceId: string
}

/** Headers that web pages may read of the answers to JSON-RPC calls. */
export const exposedOfCalls =
  'X-Trace-Id, Retry-After, RateLimit-Policy, RateLimit, X-Wayleave-Derived-From, X-Wayleave-Adapted-From, X-Wayleave-Upstream, X-Wayleave-Attempts, X-Wayleave-Block, X-Wayleave-Cache, X-Wayleave-Verified'
