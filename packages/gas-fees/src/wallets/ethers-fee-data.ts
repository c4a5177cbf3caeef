import { weiFromGwei } from '../gwei.ts'
import { offerOf } from './fill-fees.ts'
import { suggestFeesFrom, type WalletFeesOptions } from './suggest-from.ts'

/** The part of an ethers provider that is used. */
export interface EthersProvider {
  send(method: string, params: unknown[]): Promise<unknown>
}

/** The members of ethers' `FeeData`, in wei. */
export interface EthersFeeData {
  /** The next base fee plus the level's priority fee, for legacy transactions, which pay all that they offer. */
  readonly gasPrice: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  toJSON(): object
}

/**
 * Makes a `getFeeData` for an ethers provider. After `provider.getFeeData = ethersFeeData(provider)` each of its signers pays
 * what is suggested. `getFeeData` rejects with a GasFeesError `unsupported` on a chain without EIP-1559, or as the provider does.
 */
export function ethersFeeData(
  provider: EthersProvider,
  { level = 'medium', suggest }: WalletFeesOptions = {},
): () => Promise<EthersFeeData> {
  return async () => {
    const suggestion = await (suggest?.() ?? suggestFeesFrom(({ method, params }) => provider.send(method, params)))
    const offer = offerOf(suggestion, level)
    const fees = { gasPrice: weiFromGwei(suggestion.estimatedBaseFee) + offer.maxPriorityFeePerGas, ...offer }
    return {
      ...fees,
      toJSON: () => Object.fromEntries(Object.entries(fees).map(([name, value]) => [name, value.toString()])),
    }
  }
}
