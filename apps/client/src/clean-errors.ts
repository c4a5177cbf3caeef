import {
  RpcError,
  type RpcErrorCode,
  type RpcHandler,
  type RpcMiddleware,
  type RpcContext,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import type { Redaction } from './redaction.ts'

/** The failures of a server that was asked, or could not be. */
const ofServer: ReadonlySet<RpcErrorCode> = new Set([
  'connect',
  'disconnected',
  'timeout',
  'http_status',
  'invalid_response',
  'too_large',
])

/** Names the server in each failure, and keeps secrets out of its words. It stands directly above a transport. */
export function cleanErrors(url: string, redaction: Redaction): RpcMiddleware<RpcContext> {
  const address = addressOf(url)
  return (next) => async (request, context) => {
    let response
    try {
      response = await next(request, context)
    } catch (thrown) {
      if (!(thrown instanceof RpcError) || !ofServer.has(thrown.code)) throw thrown
      const { code, message, delivery, httpStatus, retryAfterMs, rpc, cause } = thrown
      const reported = rpc && redaction.answer(rpc)
      throw new RpcError(code, `${address}: ${message}`, { delivery, httpStatus, retryAfterMs, rpc: reported, cause })
    }
    return response.error === undefined ? response : { ...response, error: redaction.answer(response.error) }
  }
}

/**
 * Keeps secrets out of what else goes wrong above the transport, and of gaps and ends of subscriptions: a check may quote a value of an
 * answer.
 */
export function cleanRejections(handler: RpcHandler, redaction: Redaction): RpcHandler {
  return async (request, context) => {
    try {
      const response = await handler(request, context)
      if (response.error !== undefined || response.subscription === undefined) return response
      const { subscription } = response
      return { ...response, subscription: { ...subscription, open: (sink) => subscription.open(cleanSink(sink)) } }
    } catch (thrown) {
      throw redaction.error(thrown)
    }
  }

  function cleanSink(sink: RpcSink): RpcSink {
    return {
      ...sink,
      event: (method, result) => sink.event(method, result),
      gap: (gap) => sink.gap({ ...gap, reason: redaction.words(gap.reason) }),
      end: (why) => sink.end(redaction.error(why) as RpcError | undefined),
    }
  }
}

/** The host and the port of a URL, and nothing else of it. */
function addressOf(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port || (/^(?:https|wss):$/.test(protocol) ? 443 : 80)}`
}
