import type { AuthFailure } from '@wayleave/auth'
import { describeRpcError, type RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import { refusalOf } from '@wayleave/metering'
import { failureKindOf, summariseFailures } from '@wayleave/upstream'
import type { VerifyError } from '@wayleave/evm-verify'
import type { HttpAnswer } from '@wayleave/http-server'
import { falseAnswerOf } from '@wayleave/network'
import type { Refusal } from './refusal.ts'

const unknownKey = ['invalid project id', 'Basic realm="Auth failure, invalid project id"'] as const
const authTexts: Record<Exclude<AuthFailure, 'secret_required'>, readonly [text: string, challenge: string]> = {
  no_key: ['project id required in the url', 'Basic realm="Project ID is required in the URL"'],
  unknown_key: unknownKey,
  // A stranger who found the key does not learn that it was one.
  revoked: unknownKey,
  wrong_secret: [
    'invalid project id or project secret',
    'Basic realm="Auth failure, invalid project id or project secret"',
  ],
  wrong_token: ['invalid JWT', 'Bearer realm="Auth failure, invalid JWT", error="invalid_token"'],
  token_required: ['invalid JWT', 'Bearer realm="Auth failure, invalid JWT"'],
}

/** A JSON-RPC error without an id, where no call was read. It is printed with the trace id of its request, by {@link printAnswer}. */
export interface JsonAnswer {
  readonly status: number
  readonly error: RpcErrorObject
  /** Further headers, flat. */
  readonly headers: readonly string[]
}

/** Words a refusal for callers of JSON-RPC, before a call was read. */
export function refusalAnswer(refusal: Refusal): HttpAnswer | JsonAnswer {
  switch (refusal.refused) {
    case 'two_hosts':
      return jsonAnswer(400, { code: -32600, message: 'expected one Host header, got several' })
    case 'two_authorizations':
      return jsonAnswer(400, { code: -32600, message: 'expected one Authorization header, got several that differ' })
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
    case 'two_keys':
      return jsonAnswer(400, { code: -32600, message: twoKeys })
    case 'denied_network':
      return jsonAnswer(403, deniedNetwork(refusal.network))
    case 'denied':
      return jsonAnswer(403, deniedBySettings)
    case 'no_key':
    case 'unknown_key':
    case 'revoked':
    case 'wrong_secret':
    case 'secret_required':
    case 'wrong_token':
    case 'token_required':
      return authAnswer(refusal.refused)
  }
}

/** Makes the error for a project that may not use a network. */
export function deniedNetwork(network: string): RpcErrorObject {
  return { code: -32002, message: `project ID does not have access to ${network}` }
}

/** Tells what is wrong with several keys. */
export const twoKeys = 'expected one key: that of the path and each X-Api-Key differ'

function printable(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}

/** The texts that clients of this kind of service match on. */
function authAnswer(failure: AuthFailure): HttpAnswer | JsonAnswer {
  if (failure === 'secret_required') return jsonAnswer(403, secretRequired)
  const [text, challenge] = authTexts[failure]
  return {
    status: 401,
    contentType: 'text/plain; charset=utf-8',
    body: `${text}\n`,
    headers: ['WWW-Authenticate', challenge],
  }
}

/** Makes the same refusal for a caller who prefers JSON. */
export function asJson(answer: HttpAnswer | JsonAnswer): JsonAnswer {
  if ('error' in answer) return answer
  return jsonAnswer(answer.status, { code: -32002, message: answer.body.trimEnd() }, answer.headers)
}

/** The error for a caller or a call that a rule of its project denies. */
export const deniedBySettings: RpcErrorObject = { code: -32002, message: 'rejected due to project ID settings' }

/** The error for a caller without the secret that their project requires. Some clients send no credentials where the user is empty. */
const secretRequired: RpcErrorObject = {
  code: deniedBySettings.code,
  message: `${deniedBySettings.message}: send the secret by HTTP Basic with the key as user, https://KEY:SECRET@host/v3/KEY`,
}

/** Makes a {@link JsonAnswer}, of the code and the message alone. */
export function jsonAnswer(
  status: number,
  { code, message }: RpcErrorObject,
  headers: readonly string[] = [],
): JsonAnswer {
  return { status, error: { code, message }, headers }
}

/** Prints an answer to the request of this trace id; one in plain text stays as it is. */
export function printAnswer(answer: HttpAnswer | JsonAnswer, traceId: string): HttpAnswer {
  if (!('error' in answer)) return answer
  const { status, headers } = answer
  const body = `${JSON.stringify({ jsonrpc: '2.0', id: null, error: withTrace(answer.error, traceId) })}\n`
  return { status, contentType: 'application/json', body, headers }
}

/** Adds a trace id to the data of an error that the gateway made; data that is no object stays as it is. */
export function withTrace({ code, message, data = {} }: RpcErrorObject, traceId: string): RpcErrorObject {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
  return { code, message, data: isObject ? { ...data, traceId } : data }
}

/**
 * Methods whose errors have no trace id, nor those of limits any data: web3.py takes any object in the data of theirs for the reason of
 * a revert, so that an outage would read as one.
 */
const executing = new Set(['eth_call', 'eth_estimateGas'])

/** Adds a trace id to an error that answers a call of `method`. */
export function tracedError(error: RpcErrorObject, traceId: string, method: string | undefined): RpcErrorObject {
  if (method === undefined || !executing.has(method)) return withTrace(error, traceId)
  return error.code === -32005 ? { code: error.code, message: error.message } : error
}

/** Chooses the HTTP status of a call that no peer answered: an outage is never a 200. */
export function statusOf(error: RpcError): number {
  if (isMaybeDone(error)) return 200
  switch (error.code) {
    // The node answered; the same call would meet the same cap (geth: 200 with -32003).
    case 'too_large':
      return 200
    case 'timeout':
      return 504
    case 'denied':
      return isSpent(error) ? 402 : (error.httpStatus ?? 403)
    case 'unavailable':
    case 'overloaded':
      return 503
    // A node that is asked too much is an outage to this caller, and not their fault.
    case 'http_status':
      return error.httpStatus === 429 ? 503 : 502
    default:
      return 502
  }
}

/**
 * Tells a call that met a spent quota of a day or a month. It is not 429, which ethers 6 repeats by itself for minutes, but 402 (Spec §8),
 * which it does not.
 */
function isSpent(error: RpcError): boolean {
  return refusalOf(error)?.resetsAt !== undefined
}

/** Makes the header, as name and value, that tells after how many seconds a retry may help; nothing where it would not. */
export function retryAfterHeader(error: RpcError): readonly string[] {
  const status = statusOf(error)
  if (status === 429 && error.retryAfterMs !== undefined) return ['Retry-After', String(error.retryAfterMs / 1_000)]
  if (status === 504 ? error.retryAfterMs === undefined : status !== 503 && status !== 502) return []
  const { httpStatus = 0 } = error
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 429) return []
  return ['Retry-After', String(Math.min(Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)), 60))]
}

/**
 * Tells a write that a node may have done, with what its caller is to do about it. Its status is 200, as for any word about a transaction:
 * ethers and MetaMask do not read the body of another one, and some clients repeat a 502 to 504 by themselves.
 */
function isMaybeDone({ code, rpc }: RpcError): boolean {
  return (code === 'unavailable' || code === 'timeout') && rpc !== undefined
}

/** Makes the error that a caller is told for a call that no peer answered. Only this file decides it. */
export function describe(error: RpcError): RpcErrorObject {
  if (error.code === 'denied' || error.code === 'too_large' || isMaybeDone(error)) return describeRpcError(error)
  const falseAnswer = falseAnswerOf(error)
  if (falseAnswer !== undefined) return { code: -32603, message: describeFalseAnswer(falseAnswer) }
  if (error.code === 'timeout') {
    // With a cause it is a pool's, which says how its upstreams fared.
    return { code: -32002, message: isRpcError(error.cause) ? error.message : 'request timed out' }
  }
  if (error.code === 'overloaded') return error.rpc ?? busyUpstreams
  if (error.code === 'unavailable') {
    const isOurs = error.cause === undefined || isRpcError(error.cause)
    return isOurs ? { code: noAnswerCode(error), message: error.message } : internalError
  }
  const kind = failureKindOf(error)
  const summary = kind === undefined ? '' : `: ${summariseFailures([kind])}`
  return { code: noAnswerCode(error), message: `no upstream answered${summary}` }
}

/** A caller who meets the rate limit of every upstream may wait, as at one of ours. */
const noAnswerCode = ({ httpStatus }: RpcError): number => (httpStatus === 429 ? -32005 : -32603)

/** The error that a caller is told of a bug. */
export const internalError: RpcErrorObject = { code: -32603, message: 'internal error' }

const busyUpstreams: RpcErrorObject = {
  code: -32005,
  message: 'no upstream has room for this call (limits.maxUpstreamCalls)',
}

/** Names the false member, and nothing that anybody sent. */
function describeFalseAnswer({ field }: VerifyError): string {
  const message = 'no upstream gave an answer that verifies'
  return /^[\w.*[\]]{1,64}$/.test(field) ? `${message}: ${field} is false` : message
}

function isRpcError(value: unknown): boolean {
  return value instanceof Error && value.name === 'RpcError'
}

/** Words the refusal of a method that nobody may call. */
export function noSuchMethod(method: string): RpcErrorObject {
  return { code: -32601, message: `the method ${method} does not exist/is not available` }
}
