import { type TotalFee, type TotalFeeCall, totalFeeFrom } from '@wayleave/gas-fees'
import type { Client } from '../client.ts'
import type { GasMethods, GasOptions } from './gas-calls.ts'

/**
 * Computes what a transaction costs on the client's network with the fees of each level, in wei: its execution, the data of a rollup, and
 * their sum. `transaction`: a call, whose gas the node estimates where it is not given, or the bytes of a signed transaction.
 * @throws GasFeesError; RpcError, as calls of the client reject, a RevertError among them.
 */
export function estimateTotalFee(
  client: Pick<Client, 'requestUnchecked'> & { readonly gas: Pick<GasMethods, 'suggested'> },
  transaction: TotalFeeCall | string,
  options: GasOptions = {},
): Promise<TotalFee> {
  return totalFeeFrom(({ method, params }) => client.requestUnchecked(method, params, options), transaction, {
    suggest: () => client.gas.suggested(options),
  })
}
