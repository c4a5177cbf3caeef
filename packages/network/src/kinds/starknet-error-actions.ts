import type { RpcErrorObject, RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { starknetErrorsOf, starknetVersions } from '@wayleave/starknet-types'
import { actionByWords, type ErrorAction } from './error-actions.ts'
import { isRead } from './method-facts.ts'

/** The codes of the specification, which are about the call; except 1, which dRPC has for calls that none of its nodes can take. */
const actionsByCode = new Map<number, ErrorAction>(
  starknetVersions
    .flatMap((version) => Object.keys(starknetErrorsOf(version)))
    .filter((code) => code !== '1')
    .map((code) => [Number(code), 'final']),
)
// BLOCK_NOT_FOUND, NO_BLOCKS
actionsByCode.set(24, 'lagging').set(32, 'lagging')
// STORAGE_PROOF_NOT_SUPPORTED
actionsByCode.set(42, 'pruned')
// PAGE_SIZE_TOO_BIG, TOO_MANY_KEYS_IN_FILTER
actionsByCode.set(31, 'range').set(34, 'range')

/** Makes the function that tells the action of an error of a Starknet node; providers word their limits as for other networks. */
export function starknetActions(facts: MethodFacts): (request: RpcRequest, error: RpcErrorObject) => ErrorAction {
  return ({ method }, error) =>
    actionsByCode.get(error.code) ??
    actionByWords(error, { mayRepeat: isRead(facts, method), hasRange: method === 'starknet_getEvents' })
}
