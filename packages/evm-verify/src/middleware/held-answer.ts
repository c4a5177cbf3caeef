import { collectStream, isStream, type RawJson, RpcError, type RpcResult } from '@wayleave/jsonrpc-core'

/** Collects a whole result. @throws RpcError `too_large` */
export async function heldAnswer({ result }: RpcResult, maxBytes: number): Promise<RawJson> {
  if (isStream(result)) return collectStream(result, maxBytes)
  if (result.byteLength <= maxBytes) return result
  throw new RpcError('too_large', `the result is longer than ${maxBytes} bytes`)
}
