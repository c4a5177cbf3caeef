import { RpcError, type RpcSink, type RpcSubscription, toRpcError } from '@wayleave/jsonrpc-core'
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

/** Steps that may wait behind an event: a block of a busy chain has some thousand logs. */
const mostLate = 8_192
/** Bytes of events that may wait. */
const mostLateBytes = 8 * 1_048_576

/**
 * Debits the events of a subscription before they are pushed. While an event waits for its credits, all that comes after it waits behind
 * it, and the source is asked to wait. Where too much waits, or the credits cannot be asked for, the subscription ends with an `RpcError`.
 */
export function meteredSubscription(subscription: RpcSubscription, meter: EventMeter): RpcSubscription {
  return {
    ...subscription,
    open(sink) {
      const metered = createMeteredSink(sink, meter)
      metered.opened(subscription.open(metered.sink))
      return metered.leave
    },
  }
}

/**
 * Makes the sink of a metered subscription. `opened` takes what leaves the source. After `leave`, which does so, nothing that waits is
 * pushed.
 */
function createMeteredSink(
  sink: RpcSink,
  { priceOf, charge, debited, spent }: EventMeter,
): { readonly sink: RpcSink; readonly opened: (leave: () => void) => void; readonly leave: () => void } {
  /** Steps that wait behind an event that is asked for. */
  const late: (() => void)[] = []
  let lateBytes = 0
  let asking: Promise<void> | undefined
  let isLeft = false
  let leaveSource = (): void => {}

  function leave(): void {
    if (isLeft) return
    isLeft = true
    late.length = 0
    leaveSource()
  }

  function fail(why: RpcError): void {
    if (isLeft) return
    leave()
    sink.end(why)
  }

  function push(method: string, result: Parameters<RpcSink['event']>[1]): boolean {
    const price = priceOf(result)
    const charged = charge(price)
    if (!(charged instanceof Promise)) return pass(charged)
    asking = charged
      .then((by) => {
        asking = undefined
        pass(by)
        return goOn()
      })
      .catch((thrown: unknown) => {
        asking = undefined
        fail(toRpcError(thrown, 'unavailable', 'an event could not be debited'))
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
    if (isLeft) return
    if (asking === undefined && late.length === 0) step()
    else wait(step)
  }

  function wait(step: () => void): void {
    if (late.length < mostLate && lateBytes < mostLateBytes) late.push(step)
    else fail(new RpcError('overloaded', 'events wait too long for their credits', { reason: 'subscribe again' }))
  }

  return {
    sink: {
      event(method, result) {
        if (isLeft) return false
        if (asking === undefined && late.length === 0) return push(method, result)
        const bytes = result.byteLength
        wait(() => {
          lateBytes -= bytes
          push(method, result)
        })
        lateBytes += bytes
        return false
      },
      drained: () => (asking === undefined ? sink.drained?.() : asking.then(() => sink.drained?.())),
      gap: (gap) => inTurn(() => sink.gap(gap)),
      end: (why) => inTurn(() => sink.end(why)),
      reached: (at) => inTurn(() => sink.reached?.(at)),
    },
    opened(leaveIt) {
      if (isLeft) leaveIt()
      else leaveSource = leaveIt
    },
    leave,
  }
}
