import type { RpcError, RpcSubscription } from '@wayleave/jsonrpc-core'

/**
 * Lets a subscription be ended from here. `begun` is called as it opens, with the function that ends it, and returns one that is called
 * once it is over.
 */
export function endable(source: RpcSubscription, begun: (end: (why: RpcError) => void) => () => void): RpcSubscription {
  return {
    ...source,
    open(sink) {
      let leaveSource = (): void => {}
      const over = begun((why) => {
        over()
        leaveSource()
        sink.end(why)
      })
      leaveSource = source.open({
        event: (method, item) => sink.event(method, item),
        drained: () => sink.drained?.(),
        reached: (at) => sink.reached?.(at),
        gap: (gap) => sink.gap(gap),
        end(why) {
          over()
          sink.end(why)
        },
      })
      return () => {
        over()
        leaveSource()
      }
    },
  }
}
