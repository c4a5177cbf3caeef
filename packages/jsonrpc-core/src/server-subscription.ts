import type { RpcContext } from './context.ts'
import { printEvent } from './frame.ts'
import type { RpcSubscription } from './session.ts'
import type { RpcErrorObject } from './wire.ts'

const deafSink = { event: () => true, gap() {}, end() {} }

/** Ends a subscription that nobody will read. */
export function endUnopened(subscription: RpcSubscription): void {
  subscription.open(deafSink)()
}

/**
 * Ties a subscription to its caller's session, which ends it when it closes, whether it was opened or not.
 * `open` starts the pushes; a caller who cannot be pushed to is refused, and the subscription ended.
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
  let unsubscribe: (() => void) | undefined
  let forget = (): void => {}

  function leave(): void {
    if (over) return
    finish()
    if (!opened) endUnopened(subscription)
    else unsubscribe?.()
  }

  function finish(): void {
    over = true
    forget()
    if (session!.subscriptions.get(id) === leave) session!.subscriptions.delete(id)
  }

  session.subscriptions.set(id, leave)
  forget = session.onClose(leave)
  return {
    open() {
      if (over || opened) return
      opened = true
      unsubscribe = subscription.open({
        event: (method, result) => session.send(printEvent(method, subscription, result)),
        // A plain subscriber cannot be told of a gap, and must not be left to believe there was none.
        gap: () => session.close(1013, 'events were lost'),
        end(why) {
          finish()
          if (why !== undefined) session.close(1013, 'the subscription ended upstream')
        },
      })
      // The session closed while the held events were sent.
      if (over) unsubscribe()
    },
  }
}
