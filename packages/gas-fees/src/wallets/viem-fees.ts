import type { FeeOffer } from '../strategy.ts'
import { type FeeFields, fillFees } from './fill-fees.ts'
import { type RequestFunction, suggestFeesFrom, type WalletFeesOptions } from './suggest-from.ts'

/** What viem hands to `chain.fees.estimateFeesPerGas`. */
export interface ViemFeesArguments {
  readonly client: { readonly request: unknown }
  readonly type?: string | undefined
  readonly request?: object | undefined
}

/** The `fees` of a viem chain. */
export interface ViemFees {
  estimateFeesPerGas(this: void, call: ViemFeesArguments): Promise<FeeOffer | null>
}

/**
 * The `fees` of a viem chain: `{ ...mainnet, fees: viemFees() }` makes each `estimateFeesPerGas` and each transaction of its
 * clients pay what is suggested. Fees that a transaction names stay; one of a legacy type is viem's own business. Where a node
 * has `eth_fillTransaction`, viem lets the node fill them and does not ask here: give the fees by `fillFees` there.
 */
export function viemFees({ level, suggest }: WalletFeesOptions = {}): ViemFees {
  return {
    async estimateFeesPerGas({ client, type, request = {} }) {
      if (type !== undefined && type !== 'eip1559') return null
      const suggestion = await (suggest?.() ?? suggestFeesFrom(client.request as RequestFunction))
      const { maxFeePerGas, maxPriorityFeePerGas } = request as FeeFields
      return fillFees({ maxFeePerGas, maxPriorityFeePerGas }, suggestion, level) as FeeOffer
    },
  }
}
