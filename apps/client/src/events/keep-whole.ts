import { type RpcRequest, systemClock } from '@wayleave/jsonrpc-core'
import { resubscribe } from '@wayleave/jsonrpc-core/websocket'
import { continuity } from './continuity.ts'
import type { Resubscribe } from './resubscribe.ts'

/** Reopens subscriptions after a drop, and fetches the heads, logs and receipts that it took. */
export const keepWhole: Resubscribe = (socket, ask) => {
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
  const reported: unknown = method === 'eth_subscribe' ? params?.value() : undefined
  if (!Array.isArray(reported) || reported.length > 2) return false
  const [kind, argument] = reported as unknown[]
  const isObject = typeof argument === 'object' && argument !== null && !Array.isArray(argument)
  if (kind === 'logs') return isObject
  return /^(newHeads|transactionReceipts)$/.test(String(kind)) && (isObject || argument === undefined)
}
