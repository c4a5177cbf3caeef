import { weiFromGwei } from '../gwei.ts'
import { offerOf } from './fill-fees.ts'
import { suggestFeesFrom, type WalletFeesOptions } from './suggest-from.ts'

/** What is needed of an ethers provider. */
export interface EthersProvider {
  send(method: string, params: unknown[]): Promise<unknown>
}

/** The members of ethers' `FeeData`, in wei. */
export interface EthersFeeData {
  /** For legacy transactions, which pay all that they offer: the next base fee and the level's priority fee. */
  readonly gasPrice: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  toJSON(): object
}

/**
 * A `getFeeData` for an ethers provider: after `provider.getFeeData = ethersFeeData(provider)` each signer on it pays what is
 * suggested.
 * @throws GasFeesError `unsupported` from it on a chain without EIP-1559; what the provider rejects with
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
