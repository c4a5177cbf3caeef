import { type RpcContext, type RpcMiddleware, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { SenderKind } from '../kinds/evm-senders.ts'
import type { SentNonces } from './sent-nonces.ts'
import { withHints } from '../hints/call-hints.ts'

/** Has the calls of each sender go to one upstream. A signed transaction waits until its sender is recovered, if there is time for that. */
export function keepSenders(senders: SenderKind, recover: SentNonces['recover']): RpcMiddleware<RpcContext> {
  return (next) => {
    return (request, context) => {
      const read = senders.read(request)
      if (read === undefined) return next(request, context)
      if ('sender' in read) return next(withHints(request, { sender: read.sender }), context)
      const recovered = recover(read.raw)
      return recovered === undefined ? next(request, context) : send(request, context, recovered)
    }

    async function send(
      request: RpcRequest,
      context: RpcContext,
      recovered: Promise<string | undefined>,
    ): Promise<RpcResponse> {
      const sender = await recovered
      return next(sender === undefined ? request : withHints(request, { sender }), context)
    }
  }
}
