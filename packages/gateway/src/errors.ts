import type { AuthFailure } from '@wayleave/auth'
import { describeRpcError, type RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { VerifyError } from '@wayleave/evm-verify'
import { refusalOf } from './refusal.ts'

/** How a refusal looks over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly contentType: 'application/json' | 'text/plain; charset=utf-8'
  readonly body: string
  /** Further headers, flat. */
  readonly headers: readonly string[]
}

const realms: Record<AuthFailure, readonly [text: string, realm: string]> = {
  no_key: ['project id required in the url', 'Project ID is required in the URL'],
  unknown_key: ['invalid project id', 'Auth failure, invalid project id'],
  wrong_secret: ['invalid project id or project secret', 'Auth failure, invalid project id or project secret'],
  secret_required: ['rejected due to project ID settings', ''],
}

/** The texts that clients of this kind of service match on. */
export function authAnswer(failure: AuthFailure): HttpAnswer {
  if (failure === 'secret_required') return jsonAnswer(403, settingsRefusal)
  const [text, realm] = realms[failure]
  return {
    status: 401,
    contentType: 'text/plain; charset=utf-8',
    body: `${text}\n`,
    headers: ['WWW-Authenticate', `Basic realm="${realm}"`, 'X-Content-Type-Options', 'nosniff'],
  }
}

/** The same refusal for a caller who would rather have JSON. */
export function asJson(answer: HttpAnswer): HttpAnswer {
  if (answer.contentType === 'application/json') return answer
  return jsonAnswer(answer.status, { code: -32002, message: answer.body.trimEnd() }, answer.headers)
}

/** What a caller is told whose key may not do this. */
const settingsRefusal: RpcErrorObject = { code: -32002, message: 'rejected due to project ID settings' }

/** A JSON-RPC error without an id, where no call was read. */
export function jsonAnswer(status: number, error: RpcErrorObject, headers: readonly string[] = []): HttpAnswer {
  return {
    status,
    contentType: 'application/json',
    body: `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: error.code, message: error.message } })}\n`,
    headers,
  }
}

/** The HTTP status of a call that no peer answered: an outage is never a 200. */
export function statusOf(error: RpcError): number {
  switch (error.code) {
    // The node answered; the same call would meet the same cap (geth: 200 with -32003).
    case 'too_large':
      return 200
    case 'timeout':
      return 504
    case 'denied':
      return 403
    case 'unavailable':
    case 'overloaded':
      return 503
    // A node that is asked too much is an outage to this caller, not his fault.
    case 'http_status':
      return error.httpStatus === 429 ? 503 : 502
    default:
      return 502
  }
}

/** Seconds after which a retry may help; undefined where it would not. */
export function retryAfterSeconds(error: RpcError): number | undefined {
  const status = statusOf(error)
  if (status !== 503 && status !== 502) return undefined
  const { httpStatus = 0 } = error
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 429) return undefined
  return Math.min(Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)), 60)
}

/** What a caller is told of a call that no peer answered. Only this file decides it. */
export function describe(error: RpcError): RpcErrorObject {
  if (error.code === 'denied' || error.code === 'too_large') return describeRpcError(error)
  const refusal = refusalOf(error)
  if (refusal !== undefined) return { code: -32603, message: describeRefusal(refusal) }
  if (error.code === 'timeout') return { code: -32002, message: 'request timed out' }
  if (error.code === 'unavailable' && error.cause === undefined) return { code: -32603, message: error.message }
  if (error.code === 'unavailable' && !isRpcError(error.cause)) return { code: -32603, message: 'internal error' }
  return { code: -32603, message: 'no upstream answered' }
}

/** Names the member, and nothing that anybody sent. */
function describeRefusal({ field }: VerifyError): string {
  const told = 'no upstream gave an answer that verifies'
  return /^[\w.*[\]]{1,64}$/.test(field) ? `${told}: ${field} is false` : told
}

function isRpcError(value: unknown): boolean {
  return value instanceof Error && value.name === 'RpcError'
}
