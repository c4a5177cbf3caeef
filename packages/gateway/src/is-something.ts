import { isStream, type RpcResponse } from '@wayleave/jsonrpc-core'

/** Whether a node had what it was asked for: neither an error nor null. */
export function isSomething({ result, error }: RpcResponse): boolean {
  return error === undefined && (isStream(result) || result.text() !== 'null')
}
