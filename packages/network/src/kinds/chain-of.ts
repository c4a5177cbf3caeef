import { isStream, type RpcResponse } from '@wayleave/jsonrpc-core'

/** Reads the chain id of an answer, without padding and in lower case; undefined where it is none. */
export function chainOf(response: RpcResponse): string | undefined {
  const chain = valueOf(response)
  return typeof chain === 'string' && /^0x[\da-f]{1,64}$/i.test(chain) ? `0x${BigInt(chain).toString(16)}` : undefined
}

/** Reads the value of an answer; undefined for an error, a stream, and what is no JSON. */
export function valueOf({ error, result }: RpcResponse): unknown {
  if (error !== undefined || isStream(result)) return undefined
  try {
    return result.value()
  } catch {
    return undefined
  }
}

/** Reads a quantity of an EVM node; undefined for what is none, or no safe integer. */
export function quantityOf(text: unknown): number | undefined {
  const number = typeof text === 'string' && /^0x[\da-f]+$/i.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}
