import {
  type CallOptions,
  createContext,
  isStream,
  type RawJson,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
} from '@wayleave/jsonrpc-core'
import { assertEcho } from './echo.ts'
import { toRevertError } from './revert-error.ts'

/** Calls a method and resolves with the JSON text that came. @throws RpcError, SyntaxError for params that are no JSON */
export async function requestRaw(
  handler: RpcHandler,
  method: string,
  params: unknown,
  options: CallOptions,
): Promise<string> {
  const context = createContext(options)
  try {
    const raw = rawParams(params)
    const response = await handler({ method, params: raw, notification: false }, context)
    if (response.error !== undefined) {
      const { code, message } = response.error
      throw toRevertError(new RpcError('rpc', `${method}: ${message} (${code})`, { rpc: response.error }))
    }
    const { result } = response
    if (isStream(result)) {
      result.cancel()
      throw new RpcError('invalid_response', `${method}: a whole result was expected, not a stream`)
    }
    // The text is only known to be balanced; parsing finds out whether it is JSON.
    assertEcho(method, raw?.value(), result.parse())
    return result.text()
  } finally {
    context.release()
  }
}

function rawParams(params: unknown): RawJson | undefined {
  if (params === undefined) return undefined
  return typeof params === 'string' ? rawJsonFromText(params, JSON.parse(params)) : rawJsonFromValue(params)
}
