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
import { toRevertError } from './revert-error.ts'

/** The result as the JSON text that came. @throws RpcError, SyntaxError for params that are no JSON */
export async function requestRaw(
  handler: RpcHandler,
  method: string,
  params: unknown,
  options: CallOptions,
): Promise<string> {
  const context = createContext(options)
  try {
    const response = await handler({ method, params: rawParams(params), notification: false }, context)
    if (response.error !== undefined) {
      const { code, message } = response.error
      throw toRevertError(new RpcError('rpc', `${method}: ${message} (${code})`, { rpc: response.error }))
    }
    const { result } = response
    if (isStream(result)) {
      result.cancel()
      throw new RpcError('invalid_response', `${method}: a whole result was expected, not a stream`)
    }
    // What came is balanced only; that it is JSON is found by reading it.
    result.parse()
    return result.text()
  } finally {
    context.release()
  }
}

function rawParams(params: unknown): RawJson | undefined {
  if (params === undefined) return undefined
  return typeof params === 'string' ? rawJsonFromText(params, JSON.parse(params)) : rawJsonFromValue(params)
}
