import type { RpcSink, RpcSubscription } from '@wayleave/jsonrpc-core'
import type { EventCharges } from './event-charges.ts'
import type { Limiter, SpentCharge } from './limits.ts'

/** The meter of one subscription. */
export interface EventMeter {
  readonly priceOf: EventCharges
  readonly charge: (price: number) => ReturnType<Limiter['charge']>
  /** Called after each event that was debited. */
  readonly debited: (method: string, price: number) => void
  /** Called after each event that meets a spent quota. */
  readonly spent: (by: SpentCharge) => void
}

/**
 * Debits the events of a subscription before they are pushed. While an event waits for its credits, all that comes after it waits behind
 * it, and the source is asked to wait.
 */
export function meteredSubscription(subscription: RpcSubscription, meter: EventMeter): RpcSubscription {
  return {
    ...subscription,
    open(sink) {
      const metered = createMeteredSink(sink, meter)
      const leave = subscription.open(metered.sink)
      return () => {
        metered.leave()
        leave()
      }
    },
  }
}

/** Makes the sink of a metered subscription. After `leave`, nothing that waits is pushed. */
function createMeteredSink(
  sink: RpcSink,
  { priceOf, charge, debited, spent }: EventMeter,
): { readonly sink: RpcSink; readonly leave: () => void } {
  /** Steps that wait behind an event that is asked for. */
  const late: (() => void)[] = []
  let asking: Promise<void> | undefined
  let isLeft = false

  function push(method: string, result: Parameters<RpcSink['event']>[1]): boolean {
    const price = priceOf(result)
    const charged = charge(price)
    if (!(charged instanceof Promise)) return pass(charged)
    asking = charged.then((by) => {
      asking = undefined
      pass(by)
      return goOn()
    })
    return false

    function pass(by: SpentCharge | undefined): boolean {
      const isDebited = by?.isDebited !== false
      const isTaken = !isDebited || isLeft || sink.event(method, result)
      if (isDebited) debited(method, price)
      if (by !== undefined) spent(by)
      return isTaken
    }
  }

  /** Takes the steps that wait, up to the next event that is asked for. */
  function goOn(): Promise<void> | undefined {
    for (let step = late.shift(); step !== undefined; step = late.shift()) {
      step()
      if (asking !== undefined) return asking
    }
    return undefined
  }

  /** Takes a step, or lets it wait behind an event. */
  function inTurn(step: () => void): void {
    if (asking === undefined && late.length === 0) step()
    else late.push(step)
  }

  return {
    sink: {
      event(method, result) {
        if (asking === undefined && late.length === 0) return push(method, result)
        late.push(() => void push(method, result))
        return false
      },
      drained: () => (asking === undefined ? sink.drained?.() : asking.then(() => sink.drained?.())),
      gap: (gap) => inTurn(() => sink.gap(gap)),
      end: (why) => inTurn(() => sink.end(why)),
      reached: (at) => inTurn(() => sink.reached?.(at)),
    },
    leave() {
      isLeft = true
      late.length = 0
    },
  }
}
