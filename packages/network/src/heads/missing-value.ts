import type { RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { NetworkKind } from '../kinds/network-kind.ts'
import { isNull } from './needed-blocks.ts'

type Kind = Pick<NetworkKind, 'neverNull'>

/** Whether an answer is null though its method always has a result. */
export function lacksValue({ neverNull }: Kind, { method }: RpcRequest, response: RpcResponse): boolean {
  return isNull(response) && neverNull?.has(method) === true
}

/**
 * Makes the function that turns such an answer into an error where no upstream had a better one: as a success it would pass for a balance or
 * a call that returned nothing. Null in place of a list stays: some nodes say so of an empty one.
 */
export function valueOrError(kind: Kind): (response: RpcResponse, request: RpcRequest) => RpcResponse {
  return (response, request) => {
    const { method } = request
    if (!lacksValue(kind, request, response) || kind.neverNull!.get(method) === 'list') return response
    const message = `the upstream answered null to ${method}, which always has a result: it may lack the block that was asked for`
    return { error: { code: -32603, message }, ...(response.meta && { meta: response.meta }) }
  }
}
