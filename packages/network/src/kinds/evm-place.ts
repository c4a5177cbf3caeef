import type { RawJson, RpcRequest } from '@wayleave/jsonrpc-core'
import type { Position } from '@wayleave/upstream'
import { quantityOf } from './chain-of.ts'
import { canonicalHash } from './evm-canonical.ts'

/** Reads the block that an answer, or its first element, stands in; undefined: none, or it is about another transaction. */
export function placeOf({ method, params }: RpcRequest, result: RawJson): Position | undefined {
  const value = result.value()
  const [item] = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  const members = Object(item) as Readonly<Record<string, unknown>>
  const number =
    typeof members['blockNumber'] === 'number' ? members['blockNumber'] : quantityOf(members['blockNumber'])
  const hash = canonicalHash(members['blockHash'])
  if (hash === undefined || number === undefined || !Number.isSafeInteger(number)) return undefined
  const asked = (params?.value() as readonly unknown[] | undefined)?.[0]
  const named = method === 'eth_getTransactionByHash' ? members['hash'] : members['transactionHash']
  const isOther = method !== 'eth_getTransactionBySenderAndNonce' && canonicalHash(named) !== canonicalHash(asked)
  return isOther ? undefined : { number, hash }
}
