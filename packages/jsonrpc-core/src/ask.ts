import type { Clock } from './clock.ts'
import { createContext } from './context.ts'
import { RpcError } from './error.ts'
import type { RpcHandler } from './handler.ts'
import { rawJsonFromValue } from './raw-json.ts'
import type { RpcResult } from './response.ts'
import type { RawJson, RpcErrorObject } from './wire.ts'

export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /** Time that the call may take, body included, in ms. Default 30,000, or the client's. */
  readonly timeoutMs?: number | undefined
}

/** Calls a handler with values. @throws RpcError `rpc` where the peer answered with an error. */
export async function ask(
  handler: RpcHandler,
  method: string,
  params: unknown,
  options: CallOptions & { readonly clock?: Clock },
): Promise<RpcResult> {
  const context = createContext(options)
  try {
    const request = {
      method,
      params: params === undefined ? undefined : rawJsonFromValue(params),
      notification: false,
    }
    const response = await handler(request, context)
    if (response.error !== undefined) {
      const { code, message, data, raw } = response.error
      // Callers that share an answer must not share its objects.
      const own = (raw?.parse() as RpcErrorObject | undefined)?.data ?? data
      throw new RpcError('rpc', `${method}: ${message} (${code})`, { rpc: { ...response.error, data: own } })
    }
    return response
  } finally {
    context.release()
  }
}

/** Parses a fresh copy of the result of `method`. @throws RpcError `invalid_response` if it is not JSON. */
export function parseResult(result: RawJson, method: string): unknown {
  try {
    return result.parse()
  } catch {
    throw new RpcError('invalid_response', `${method}: the result is not JSON`)
  }
}
