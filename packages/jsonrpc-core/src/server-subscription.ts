import type { RpcContext } from './context.ts'
import type { RpcError } from './error.ts'
import { printEvent } from './frame.ts'
import type { RpcSubscription } from './session.ts'
import { utf8Length } from './utf8.ts'
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
        event: (method, result) =>
          session.event === undefined
            ? session.send(printEvent(method, subscription, result))
            : session.event(id, result),
        // JSON-RPC has no way to tell a subscriber of a gap, and silence would hide it.
        gap: () => session.close(1013, 'events were lost'),
        end(why) {
          finish()
          if (why !== undefined) session.close(1013, closeReason(why))
        },
        reached: (at) => session.reached?.(id, at),
      })
      // The session closed while the held events were sent.
      if (over) unsubscribe()
    },
  }
}

/** The longest reason of a close frame, in bytes (RFC 6455, section 5.5). */
const longestReason = 123

function closeReason({ reason }: RpcError): string {
  return reason === undefined || utf8Length(reason) > longestReason ? 'the subscription ended upstream' : reason
}
