import { RpcError } from './error.ts'
import type { RawJson } from './raw-json.ts'
import type { RpcSink, RpcSubscription } from './session.ts'

/** A subscription as its source sees it. */
export interface LiveSubscription extends RpcSubscription {
  deliver(method: string, result: RawJson): void
  end(why?: RpcError): void
}

/**
 * Holds up to `maxHeld` events until the subscription is opened; past that it ends as overloaded.
 * `unsubscribe` is called once, when its reader or the cap ends it, and not when its source does.
 */
export function createLiveSubscription(id: string, maxHeld: number, unsubscribe: () => void): LiveSubscription {
  let held: { method: string; result: RawJson }[] = []
  let sink: RpcSink | undefined
  let ended = false
  let endedBy: RpcError | undefined

  function end(why: RpcError | undefined): void {
    if (ended) return
    ended = true
    endedBy = why
    sink?.end(why)
  }

  return {
    id,
    open(to) {
      sink = to
      for (const { method, result } of held) if (!ended || sink === to) to.event(method, result)
      held = []
      if (ended) to.end(endedBy)
      return () => {
        if (ended) return
        ended = true
        unsubscribe()
      }
    },
    deliver(method, result) {
      if (ended) return
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
