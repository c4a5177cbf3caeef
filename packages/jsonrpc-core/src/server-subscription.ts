import type { RpcContext } from './context.ts'
import type { RpcSubscription } from './session.ts'
import type { RpcErrorObject } from './wire.ts'

/** Ends a subscription that was never opened. */
export function endUnopened(subscription: RpcSubscription): void {
  subscription.open({ event: () => true, gap() {}, end() {} })()
}

/**
 * Ties a subscription to its caller's session: when the session closes, the subscription ends, opened or not.
 * `open` starts the pushes. For a caller that cannot be pushed to, the subscription ends and `refused` is the answer.
 */
export function bindSubscription(
  subscription: RpcSubscription,
  context: RpcContext,
): { readonly open: () => void } | { readonly refused: RpcErrorObject } {
  const { session } = context
  const { id } = subscription
  if (session === undefined || context.cancelled !== undefined || session.subscriptions.has(id)) {
    endUnopened(subscription)
    if (session === undefined) return { refused: { code: -32601, message: 'notifications not supported' } }
    return { refused: { code: -32603, message: 'the subscription could not be opened' } }
  }
  let opened = false
  let over = false
  let unsubscribe = (): void => {}
  let forget = (): void => {}

  function leave(): void {
    if (over) return
    over = true
    forget()
    if (session!.subscriptions.get(id) === leave) session!.subscriptions.delete(id)
    if (opened) unsubscribe()
    else endUnopened(subscription)
  }

  session.subscriptions.set(id, leave)
  forget = session.onClose(leave)
  return {
    open() {
      if (over || opened) return
      opened = true
      unsubscribe = subscription.open({
        event: (method, result) => session.sendEvent(method, subscription, result),
        drained: () => session.drained?.(),
        // JSON-RPC has no way to tell a subscriber of a gap, and silence would hide it.
        gap: () => session.close('lost_events'),
        end(why) {
          unsubscribe = () => {}
          leave()
          if (why !== undefined) session.close('source_ended', why.reason)
        },
        reached: (at) => session.reached?.(id, at),
      })
      // The session closed while the held events were sent.
      if (over) unsubscribe()
    },
  }
}
