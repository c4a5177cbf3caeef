import { type RpcHandler, type RpcRequest, systemClock } from '@wayleave/jsonrpc-core'
import { resubscribe } from '@wayleave/jsonrpc-core/websocket'
import { continuity } from './continuity.ts'

/** The handler that opens subscriptions, and reopens them. */
export interface Pushes {
  readonly handler: RpcHandler
  /** Ends all subscriptions at once. */
  close(): void
}

/** Creates the handler of subscriptions over `socket`; `ask` is asked for the events that a drop took. */
export function createPushes(socket: RpcHandler, ask: RpcHandler): Pushes {
  const keep = resubscribe({ gapAt: (request) => (isResumable(request) ? 'reopening' : 'event') })
  const plain = keep(socket)
  const whole = continuity({ ask, clock: systemClock, keep })(socket)
  return {
    handler: (request, context) => (isResumable(request) ? whole : plain)(request, context),
    close: () => keep.close(),
  }
}

/** Tells whether the missing events of a subscription can be fetched. */
function isResumable({ method, params }: RpcRequest): boolean {
  const told: unknown = method === 'eth_subscribe' ? params?.value() : undefined
  if (!Array.isArray(told) || told.length > 2) return false
  const [kind, argument] = told as unknown[]
  const isObject = typeof argument === 'object' && argument !== null && !Array.isArray(argument)
  if (kind === 'logs') return isObject
  return /^(newHeads|transactionReceipts)$/.test(String(kind)) && (isObject || argument === undefined)
}
