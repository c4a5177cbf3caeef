import type { AuthFailure } from '@wayleave/auth'
import { describeRpcError, type RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import { failureKindOf, summariseFailures } from '@wayleave/upstream'
import type { VerifyError } from '@wayleave/evm-verify'
import type { Refusal } from './refusal.ts'
import type { HttpAnswer } from './http/answer.ts'
import { falseAnswerOf } from './rpc/false-answer.ts'

const realms: Record<AuthFailure, readonly [text: string, realm: string]> = {
  no_key: ['project id required in the url', 'Project ID is required in the URL'],
  unknown_key: ['invalid project id', 'Auth failure, invalid project id'],
  wrong_secret: ['invalid project id or project secret', 'Auth failure, invalid project id or project secret'],
  secret_required: ['rejected due to project ID settings', ''],
}

/** Words a refusal for callers of JSON-RPC, before a call was read. */
export function refusalAnswer(refusal: Refusal): HttpAnswer {
  switch (refusal.refused) {
    case 'two_hosts':
      return jsonAnswer(400, { code: -32600, message: 'expected one Host header, got several' })
    case 'two_origins':
      return jsonAnswer(400, { code: -32600, message: 'expected one Origin header, got several' })
    case 'foreign':
      return jsonAnswer(403, {
        code: -32002,
        message:
          'only programs and pages of this machine are served (localhost or a loopback address as host and origin)',
      })
    case 'lost': {
      const { version } = refusal
      const message =
        version === undefined
          ? 'no such path; JSON-RPC is at /v3/<key>, WebSocket at /ws/v3/<key>'
          : `unknown version ${printable(version)}; use v3`
      return jsonAnswer(404, { code: -32600, message })
    }
    case 'no_network':
      return jsonAnswer(404, { code: -32002, message: 'no network was named; use /<network>/v3/<key> or its host' })
    // Names the network that was asked for and none that is here, since the caller is not known yet.
    case 'unknown_network': {
      const { network, why } = refusal
      const message = `unknown network ${printable(network)}${why === undefined ? '' : `: ${why}`}`
      return jsonAnswer(404, { code: -32002, message })
    }
    case 'unknown_api_version': {
      const message =
        refusal.known === undefined
          ? `${refusal.network} has no versions to choose from; leave out what follows the key`
          : `unknown version ${printable(refusal.segment)} of ${refusal.network}; use one of ${refusal.known.join(', ')}`
      return jsonAnswer(404, { code: -32600, message })
    }
    case 'denied_network':
      return jsonAnswer(403, deniedNetwork(refusal.network))
    case 'no_key':
    case 'unknown_key':
    case 'wrong_secret':
    case 'secret_required':
      return authAnswer(refusal.refused)
  }
}

/** Makes the error for a project that may not use a network. */
export function deniedNetwork(network: string): RpcErrorObject {
  return { code: -32002, message: `project ID does not have access to ${network}` }
}

function printable(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}

/** The texts that clients of this kind of service match on. */
function authAnswer(failure: AuthFailure): HttpAnswer {
  if (failure === 'secret_required') return jsonAnswer(403, settingsRefusal)
  const [text, realm] = realms[failure]
  return {
    status: 401,
    contentType: 'text/plain; charset=utf-8',
    body: `${text}\n`,
    headers: ['WWW-Authenticate', `Basic realm="${realm}"`],
  }
}

/** Makes the same refusal for a caller who prefers JSON. */
export function asJson(answer: HttpAnswer): HttpAnswer {
  if (answer.contentType === 'application/json') return answer
  return jsonAnswer(answer.status, { code: -32002, message: answer.body.trimEnd() }, answer.headers)
}

const settingsRefusal: RpcErrorObject = { code: -32002, message: 'rejected due to project ID settings' }

/** Makes the answer of a JSON-RPC error without an id, where no call was read. */
export function jsonAnswer(status: number, error: RpcErrorObject, headers: readonly string[] = []): HttpAnswer {
  return {
    status,
    contentType: 'application/json',
    body: `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: error.code, message: error.message } })}\n`,
    headers,
  }
}

/** Chooses the HTTP status of a call that no peer answered: an outage is never a 200. */
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
    // A node that is asked too much is an outage to this caller, and not his fault.
    case 'http_status':
      return error.httpStatus === 429 ? 503 : 502
    default:
      return 502
  }
}

/** Makes the header, as name and value, that tells after how many seconds a retry may help; nothing where it would not. */
export function retryAfterHeader(error: RpcError): readonly string[] {
  const status = statusOf(error)
  if (status === 504 ? error.retryAfterMs === undefined : status !== 503 && status !== 502) return []
  const { httpStatus = 0 } = error
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 429) return []
  return ['Retry-After', String(Math.min(Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)), 60))]
}

/** Makes the error that a caller is told for a call that no peer answered. Only this file decides it. */
export function describe(error: RpcError): RpcErrorObject {
  if (error.code === 'denied' || error.code === 'too_large') return describeRpcError(error)
  const falseAnswer = falseAnswerOf(error)
  if (falseAnswer !== undefined) return { code: -32603, message: describeFalseAnswer(falseAnswer) }
  if (error.code === 'timeout') {
    // With a cause it is a pool's, which says how its upstreams fared.
    return { code: -32002, message: isRpcError(error.cause) ? error.message : 'request timed out' }
  }
  if (error.code === 'overloaded') return error.rpc ?? busyUpstreams
  if (error.code === 'unavailable') {
    const isOurs = error.cause === undefined || isRpcError(error.cause)
    return { code: -32603, message: isOurs ? error.message : 'internal error' }
  }
  const kind = failureKindOf(error)
  const summary = kind === undefined ? '' : `: ${summariseFailures([kind])}`
  return { code: -32603, message: `no upstream answered${summary}` }
}

const busyUpstreams: RpcErrorObject = {
  code: -32005,
  message: 'no upstream has room for this call (limits.maxUpstreamCalls, limits.maxQueueMs)',
}

/** Names the false member, and nothing that anybody sent. */
function describeFalseAnswer({ field }: VerifyError): string {
  const told = 'no upstream gave an answer that verifies'
  return /^[\w.*[\]]{1,64}$/.test(field) ? `${told}: ${field} is false` : told
}

function isRpcError(value: unknown): boolean {
  return value instanceof Error && value.name === 'RpcError'
}
