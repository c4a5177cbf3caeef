import {
  describeRefusal,
  type MeteredCaller,
  type Prices,
  type Refusal,
  type RefusalAnswer,
  settledPrice,
} from '@wayleave/metering'

/** A request that counts as one call, such as one to the gas API. */
export interface MeteredRequest {
  /** Present where a limit refused it. */
  readonly refused: RefusalAnswer | undefined
  /** The fields that tell what is left, flat; none where nothing is limited. */
  readonly headers: readonly string[]
  /**
   * Gives back what it cost too much by the HTTP status of its answer, and counts it. `isWorked`: its work was done, so that it costs its
   * price whatever the status. Only the first call has an effect.
   */
  settle(status: number, isWorked?: boolean): void
}

/** Debits a request from the limits of its caller, or tells why they refuse it, and counts it in either case. */
export function meterRequest(
  caller: MeteredCaller | undefined,
  method: string,
  prices: Prices,
): MeteredRequest | Promise<MeteredRequest> {
  if (caller === undefined) return unmetered
  const price = prices.priceOf(caller.kind, method)
  const refusal = caller.limiter?.admit(method, caller.visitor, price)
  return refusal?.reserve === undefined
    ? decided(caller, method, price, refusal)
    : refusal.reserve().then((stands) => decided(caller, method, price, stands))
}

function decided(caller: MeteredCaller, method: string, price: number, refusal: Refusal | undefined): MeteredRequest {
  const { limiter, recorder, visitor } = caller
  const headers = rateLimitHeaders(caller, method)
  let isSettled = refusal !== undefined
  if (isSettled) recorder?.count(method, 429, 0)
  return {
    refused: refusal && describeRefusal(refusal),
    headers,
    settle(status, isWorked = false) {
      if (isSettled) return
      isSettled = true
      const cost = isWorked ? price : settledPrice(price, status)
      limiter?.giveBack(method, visitor, price - cost)
      recorder?.count(method, status, cost)
    },
  }
}

/** Prints what is left of the limits that a call of `method` falls under, as flat headers; none where there are none. */
export function rateLimitHeaders({ limiter, visitor }: MeteredCaller, method: string): readonly string[] {
  const fields = limiter?.fields(method, visitor)
  return fields === undefined ? [] : ['RateLimit-Policy', fields.policy, 'RateLimit', fields.limit]
}

/** The status of a caller who left before the answer, in usage. */
export const callerLeftStatus = 499

const unmetered: MeteredRequest = { refused: undefined, headers: [], settle() {} }
