import { type Clock, RpcError, type RpcMiddleware, type RpcRequest } from '@wayleave/jsonrpc-core'
import { meter, type Prices, refusalOf } from '@wayleave/metering'
import { statusOf } from '../../errors.ts'
import { callerLeftStatus } from '../../metering/meter-request.ts'
import type { GatewayContext } from '../../context/context.ts'
import { type LimitTally, tallyRefusal } from '../../context/limit-tally.ts'

export interface MeterCallsOptions {
  readonly prices: Prices
  readonly clock: Clock
}

/** Debits and counts the calls of callers, and refuses those that a limit does not let pass. */
export function meterCalls({ prices, clock }: MeterCallsOptions): RpcMiddleware<GatewayContext> {
  const metered = meter<GatewayContext>({
    prices,
    clock,
    callerOf: ({ caller }) => caller.metered,
    statusOf: (why) => (why.code === 'aborted' ? callerLeftStatus : statusOf(why)),
    subscriptionOf,
  })
  return (next) => {
    const handler = metered((request, context) => {
      const { tally } = context.caller
      if (tally !== undefined) tally.hasAdmitted = true
      return next(request, context)
    })
    return (request, context) => {
      const { tally } = context.caller
      if (tally === undefined) return handler(request, context)
      if (context.batch !== undefined)
        return handler(request, context).catch((why: unknown) => noteAndThrow(why, tally))
      tally.method = request.method
      return handler(request, context)
    }
  }
}

function noteAndThrow(why: unknown, tally: LimitTally): never {
  if (why instanceof RpcError && refusalOf(why) !== undefined) tallyRefusal(tally, why)
  throw why
}

const starknetPrefix = 'starknet_subscribe'
/** Longest params of a subscription to any but logs, in bytes. */
const longestParams = 65_536

/** Names what a subscription is to as `eth_subscribe` does: `newHeads`, also of `starknet_subscribeNewHeads`. */
function subscriptionOf({ method, params }: RpcRequest): string | undefined {
  if (method.startsWith(starknetPrefix)) {
    const name = method.slice(starknetPrefix.length)
    return name.charAt(0).toLowerCase() + name.slice(1)
  }
  if (params === undefined || params.byteLength > longestParams) return undefined
  const value = params.value()
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  return typeof first === 'string' ? first : undefined
}
