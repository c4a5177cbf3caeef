import {
  type CallContext,
  type Clock,
  createContext,
  RpcError,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { discard } from '../discard.ts'
import type { Endpoint } from '../endpoint.ts'

/** Why a node is asked, for metrics. */
export type AskPurpose = 'chain' | 'latest' | 'safe' | 'finalized' | 'newHeads'

/** Asks one endpoint questions of the gateway's own, each within a deadline. */
export interface Asker {
  /** Rejects with an `RpcError`, by the deadline at the latest, also where the handler does not heed it. */
  ask(endpoint: Endpoint, purpose: AskPurpose, request: RpcRequest): Promise<RpcResponse>
  /** Cancels the questions under way, and refuses further ones. */
  close(): void
}

export interface AskerOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly onAsk?: ((endpoint: Endpoint, purpose: AskPurpose, request: RpcRequest) => void) | undefined
}

export function createAsker({ clock, timeoutMs, onAsk }: AskerOptions): Asker {
  const open = new Set<CallContext>()
  const closed = new RpcError('aborted', 'the chain view is closed', { delivery: 'not_sent' })
  let isClosed = false

  return {
    async ask(endpoint, purpose, request) {
      if (isClosed) throw closed
      onAsk?.(endpoint, purpose, request)
      const context = createContext({ clock, timeoutMs })
      open.add(context)
      try {
        return await new Promise<RpcResponse>((resolve, reject) => {
          context.onCancel(reject)
          endpoint.handler(request, context).then((response) => {
            if (context.cancelled === undefined) resolve(response)
            else discard(response)
          }, reject)
        })
      } finally {
        open.delete(context)
        context.release()
      }
    },
    close() {
      isClosed = true
      for (const context of open) context.cancel(closed)
    },
  }
}

/** Whether the node at the other end may be another one after a failure. */
export function isBroken({ code }: RpcError): boolean {
  return code === 'connect' || code === 'disconnected'
}

/** The failure of an answer that tells no head. */
export function noHead(code: number | undefined): RpcError {
  const reported = code === undefined ? 'no head in the answer' : `error ${code} instead of a head`
  return new RpcError('rpc', reported)
}
