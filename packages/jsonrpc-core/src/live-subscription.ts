import { RpcError } from './error.ts'
import type { RpcSink, RpcSubscription } from './session.ts'
import type { RawJson } from './wire.ts'

/** A subscription with the methods of its source. */
export interface LiveSubscription extends RpcSubscription {
  deliver(method: string, result: RawJson): void
  end(why?: RpcError): void
}

/**
 * Makes a subscription that holds up to `maxHeld` events until it is opened; past that it ends as `overloaded`.
 * `unsubscribe` is called once, if its reader or the cap ends it, but not if its source does.
 */
export function createLiveSubscription(id: string, maxHeld: number, unsubscribe: () => void): LiveSubscription {
  let held: { method: string; result: RawJson }[] = []
  let sink: RpcSink | undefined
  let left = false
  let ended: { readonly why: RpcError | undefined } | undefined

  function end(why?: RpcError): void {
    if (left || ended !== undefined) return
    ended = { why }
    sink?.end(why)
  }

  return {
    id,
    open(to) {
      if (sink !== undefined || left) throw new TypeError('a subscription is opened once')
      // Events that come while the held ones are delivered queue behind them.
      for (const { method, result } of held) to.event(method, result)
      held = []
      if (ended === undefined) sink = to
      else to.end(ended.why)
      return () => {
        if (left || ended !== undefined) return
        left = true
        unsubscribe()
      }
    },
    deliver(method, result) {
      if (left || ended !== undefined) return
      if (sink !== undefined) sink.event(method, result)
      else if (held.length < maxHeld) held.push({ method, result })
      else {
        held = []
        end(new RpcError('overloaded', `more than ${maxHeld} events came before the subscription was opened`))
        unsubscribe()
      }
    },
    end,
  }
}
