import { isStream, type RpcResponse } from '@wayleave/jsonrpc-core'

/** Reads the chain id of an answer, without padding and in lower case; undefined where it is none. */
export function chainOf({ error, result }: RpcResponse): string | undefined {
  const chain = error !== undefined || isStream(result) ? undefined : result.value()
  return typeof chain === 'string' && /^0x[\da-f]{1,64}$/i.test(chain) ? `0x${BigInt(chain).toString(16)}` : undefined
}
