import {
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcErrorObject,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { createRedactor, type Redactor } from './redactor.ts'

/**
 * Keeps secrets out of the errors of a node, however it spells them. It stands directly above the transport, so that nothing that keeps,
 * records or compares errors has any. Results pass as they are.
 */
export function redactErrors(handler: RpcHandler, secrets: readonly string[]): RpcHandler {
  if (secrets.length === 0) return handler
  const redact = createRedactor(secrets)
  const clean = (response: RpcResponse): RpcResponse => {
    if (response.error === undefined) return response
    const error = cleanError(response.error, redact)
    return error === response.error ? response : { ...response, error }
  }
  const cleanRejection = (thrown: unknown): never => {
    throw thrown instanceof RpcError ? cleanThrown(thrown, redact) : thrown
  }
  return (request, context) => handler(request, context).then(clean, cleanRejection)
}

function cleanThrown(thrown: RpcError, redact: Redactor): RpcError {
  const message = redact(thrown.message)
  const rpc = thrown.rpc && cleanError(thrown.rpc, redact)
  if (message === thrown.message && rpc === thrown.rpc) return thrown
  const { code, delivery, httpStatus, retryAfterMs, reason } = thrown
  // The cause may repeat the words.
  return new RpcError(code, message, { delivery, httpStatus, retryAfterMs, reason, rpc })
}

/** Redacts an error answer; one without secrets is returned as it is, with its bytes. */
function cleanError(error: RpcErrorObject, redact: Redactor): RpcErrorObject {
  const { code, message, data, raw } = error
  const text = (raw ?? rawJsonFromValue({ code, message, data })).text()
  const clean = redact(text)
  if (clean === text) return error
  try {
    const value = JSON.parse(clean) as Partial<RpcErrorObject>
    const said = typeof value.message === 'string' ? value.message : ''
    const own = value.data === undefined ? {} : { data: value.data }
    return { code, message: redact(said), ...own, raw: rawJsonFromText(clean, value) }
  } catch {
    // A secret that is a number, or ends a string, leaves no JSON. An error without its data would be another one.
    const own = { code, message: redact(message), ...(data !== undefined && { data: '[redacted]' }) }
    return { ...own, raw: rawJsonFromValue(own) }
  }
}
