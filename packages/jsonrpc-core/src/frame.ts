import type { RpcRequest } from './request.ts'
import type { RpcSubscription } from './session.ts'
import type { RawJson, RpcErrorObject } from './wire.ts'

/** Prints the frame of a call to a peer. It is canonical, whatever the caller's own frame looked like. */
export function printCall(id: number, request: RpcRequest): string {
  const { params } = request
  const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(request.method)}`
  return params === undefined ? `${head}}` : `${head},"params":${params.text()}}`
}

/** Prints the beginning of a result's frame; `id` is a raw JSON token. */
export function resultPrefix(id: string | number): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`
}

/** Prints an error answer; a peer's own error object keeps its bytes. */
export function printError(id: string, error: RpcErrorObject): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${printErrorObject(error)}}`
}

function printErrorObject(error: RpcErrorObject): string {
  if (error.raw !== undefined) return error.raw.text()
  const { code, message, data } = error
  return JSON.stringify({ code, message, data })
}

type SubscriptionName = Pick<RpcSubscription, 'id' | 'idName'>

/** Prints one event of a subscription as geth does. */
export function printEvent(method: string, subscription: SubscriptionName, result: RawJson): string {
  return `${eventPrefix(method, subscription)}${result.text()}}}`
}

/** Prints the beginning of an event; its result and `}}` follow. */
export function eventPrefix(method: string, { id, idName = 'subscription' }: SubscriptionName): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":{"${idName}":${JSON.stringify(id)},"result":`
}
