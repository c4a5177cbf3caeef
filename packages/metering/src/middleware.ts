import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
  type RpcSubscription,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { createEventCharges } from './event-charges.ts'
import type { Limiter } from './limits.ts'
import { meteredSubscription } from './metered-subscription.ts'
import { type Prices, settledPrice } from './price.ts'
import { describeRefusal, type Refusal } from './refusal.ts'
import type { UsageRecorder } from './usage.ts'

/** A caller, as far as metering goes. Keep it with the caller: it is asked for with each call. */
export interface MeteredCaller {
  /** The kind of the network, which decides on prices. */
  readonly kind: string
  /** The address of whoever calls with the key. */
  readonly visitor: string
  readonly limiter: Limiter | undefined
  readonly recorder: UsageRecorder | undefined
}

export interface MeterOptions<C extends RpcContext> {
  readonly prices: Prices
  readonly clock: Clock
  /** Returns the caller of a context; undefined: the call is not metered. */
  readonly callerOf: (context: C) => MeteredCaller | undefined
  /** Returns the HTTP status that a call without an answer gets, which decides on its price. A caller who left is 499. */
  readonly statusOf: (why: RpcError) => number
  /** Returns the kind of subscription that a request opens, such as `logs`. Default: its first parameter, if that is a text. */
  readonly subscriptionOf?: ((request: RpcRequest) => string | undefined) | undefined
  /** A page for callers that were refused. */
  readonly see?: string | undefined
}

/**
 * Meters calls. Each one is debited before it goes on, refused with -32005 where a limit says so, settled when its outcome is known, and
 * counted once. Events of its subscription are debited before they are pushed; a spent quota closes the session as `quota`.
 *
 * A refused call rejects with an `RpcError` `denied`, `not_sent`, of HTTP status 429; {@link refusalOf} tells more.
 */
export function meter<C extends RpcContext>(options: MeterOptions<C>): RpcMiddleware<C, C> {
  const { prices, clock, callerOf, statusOf, see, subscriptionOf = firstParam } = options

  function meterEvents(
    subscription: RpcSubscription,
    request: RpcRequest,
    { limiter, recorder, visitor }: MeteredCaller,
    context: C,
  ): RpcSubscription {
    const kind = subscriptionOf(request) ?? ''
    let isSpent = false
    return meteredSubscription(subscription, {
      priceOf: createEventCharges(kind, prices.eventPriceOf(kind), clock),
      charge: (price) => limiter?.charge(request.method, visitor, price),
      debited: (method, price) => recorder?.count(method, 200, price),
      spent(by) {
        if (isSpent) return
        isSpent = true
        context.session?.close('quota', describeRefusal(by).error.message)
      },
    })
  }

  function callNext(
    next: RpcHandler<C>,
    request: RpcRequest,
    context: C,
    caller: MeteredCaller,
    price: number,
  ): Promise<RpcResponse> {
    const failed = (why: unknown): never => {
      settle(caller, request.method, price, statusOf(toRpcError(why, 'unavailable', 'the handler failed')))
      throw why
    }

    let answer: Promise<RpcResponse>
    try {
      answer = next(request, context)
    } catch (why) {
      return Promise.reject(why).catch(failed)
    }
    return answer.then((response) => {
      settle(caller, request.method, price, 200)
      if (response.error !== undefined || response.subscription === undefined) return response
      return { ...response, subscription: meterEvents(response.subscription, request, caller, context) }
    }, failed)
  }

  function refuse({ recorder }: MeteredCaller, method: string, refusal: Refusal): Promise<never> {
    recorder?.count(method, 429, 0)
    return Promise.reject(refusedBy(refusal, see))
  }

  /** Calls on once the authority of the limits has debited the call. */
  async function askFirst(
    next: RpcHandler<C>,
    request: RpcRequest,
    context: C,
    caller: MeteredCaller,
    price: number,
    reserve: () => Promise<Refusal | undefined>,
  ): Promise<RpcResponse> {
    const refusal = await reserve()
    if (refusal !== undefined) return refuse(caller, request.method, refusal)
    return callNext(next, request, context, caller, price)
  }

  return (next) => (request, context) => {
    const caller = callerOf(context)
    if (caller === undefined) return next(request, context)
    const { method } = request
    const price = prices.priceOf(caller.kind, method)
    const refusal = caller.limiter?.admit(method, caller.visitor, price)
    if (refusal === undefined) return callNext(next, request, context, caller, price)
    if (refusal.reserve === undefined) return refuse(caller, method, refusal)
    return askFirst(next, request, context, caller, price, refusal.reserve)
  }
}

/** Counts a call, and gives back the part of its price that its status does not cost. */
function settle({ limiter, recorder, visitor }: MeteredCaller, method: string, price: number, status: number): void {
  const cost = settledPrice(price, status)
  if (cost < price) limiter?.giveBack(method, visitor, price - cost)
  recorder?.count(method, status, cost)
}

/** Returns the refusal behind an error of {@link meter}. */
export function refusalOf(error: RpcError): Refusal | undefined {
  return error.code === 'denied' && error.httpStatus === 429 ? (error.cause as Refusal) : undefined
}

function refusedBy(refusal: Refusal, see: string | undefined): RpcError {
  const { error, retryAfterSeconds } = describeRefusal(refusal, see)
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000
  const delivery = 'not_sent'
  return new RpcError('denied', error.message, { delivery, httpStatus: 429, retryAfterMs, rpc: error, cause: refusal })
}

function firstParam({ params }: RpcRequest): string | undefined {
  if (params === undefined || params.byteLength > 65_536) return undefined
  const value = params.value()
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  return typeof first === 'string' ? first : undefined
}
