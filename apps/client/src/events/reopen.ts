import { RpcError, type RpcRequest } from '@wayleave/jsonrpc-core'
import { resubscribe } from '@wayleave/jsonrpc-core/websocket'
import type { Resubscribe } from './resubscribe.ts'

/** Reopens subscriptions after a drop. The events that it took are a gap, and a place to begin from is refused. */
export const reopen: Resubscribe = (socket) => {
  const keep = resubscribe()
  const kept = keep(socket)
  return {
    handler: async (request, context) => {
      if (!beginsAtPlace(request)) return kept(request, context)
      const message = `${request.method}: fromBlock and fromHash need resubscribe: fetchMissed of @wayleave/client/events`
      throw new RpcError('unavailable', message, { delivery: 'not_sent' })
    },
    close: () => keep.close(),
  }
}

function beginsAtPlace({ method, params }: RpcRequest): boolean {
  const [, argument] = Object(method === 'eth_subscribe' ? params?.value() : []) as unknown[]
  const { fromBlock, fromHash } = Object(argument) as { readonly fromBlock?: unknown; readonly fromHash?: unknown }
  return fromBlock !== undefined || fromHash !== undefined
}
