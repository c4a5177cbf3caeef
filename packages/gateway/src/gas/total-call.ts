import type { GasAnswer, RequestFunction } from '@wayleave/gas-fees'
import { type CallContext, type Clock, createRpcClient, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { GatewayContext } from '../context/context.ts'
import type { Principal } from '../principal.ts'
import { noSuchMethod } from '../errors.ts'

/** A `totalFee` of an admitted caller, whose rules allow it. */
export interface TotalCall {
  readonly query: string
  readonly principal: Principal
  readonly traceId: string
  /** The questions that a node was asked, or may have been. */
  asked: number
}

export interface AskingOptions {
  readonly network: string
  /** Answers callers of that network. */
  readonly calls: RpcHandler<GatewayContext>
  readonly clock: Clock
  /** The time that all questions share, in ms. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Asks for a total as its caller asks: for their project, so that only its upstreams see the transaction. The total pays for all. */
export function askFor(total: TotalCall, options: AskingOptions): RequestFunction {
  const { network, calls, clock, timeoutMs, signal } = options
  const { traceId } = total
  // The rules were asked about the estimate; the other questions are not of the caller's making.
  const principal = { ...total.principal, rules: undefined }
  const tenant = principal.project.id
  let nth = 0

  const asCaller: RpcHandler = async (request, parent) => {
    const init = { clock, deadline: parent.deadline, parent: parent as CallContext, tenant }
    const context = new GatewayContext(init, { principal, network, traceId: `${traceId}.${++nth}` })
    total.asked++
    try {
      return await calls(request, context)
    } catch (thrown) {
      if (thrown instanceof RpcError && thrown.delivery === 'not_sent') total.asked--
      throw thrown
    } finally {
      context.release()
    }
  }

  const client = createRpcClient(asCaller, { clock })
  const until = clock.now() + timeoutMs
  return ({ method, params }) =>
    client.requestUnchecked(method, params, { signal, timeoutMs: Math.max(1, until - clock.now()) })
}

/** The refusal of all totals, where nobody may have gas estimated. */
export const noTotal: GasAnswer = {
  status: 400,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify({ statusCode: 400, message: noSuchMethod('eth_estimateGas').message }),
}
