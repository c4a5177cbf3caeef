import type { FeeOffer } from '../strategy.ts'
import { type FeeFields, fillFees } from './fill-fees.ts'
import { type RequestFunction, suggestFeesFrom, type WalletFeesOptions } from './suggest-from.ts'

/** The arguments that viem gives to `chain.fees.estimateFeesPerGas`. */
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
 * Makes the `fees` of a viem chain: with `{ ...mainnet, fees: viemFees() }` each `estimateFeesPerGas` and each transaction of its
 * clients pays what is suggested. Fees that a transaction names stay; legacy types are left to viem. If a node has
 * `eth_fillTransaction`, viem lets the node fill the fees and does not ask here: use `fillFees` there.
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
