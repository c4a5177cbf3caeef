import { computeHashOnElements } from '@scure/starknet'
import { type Felt, printFelt } from '../felt.ts'
import { encodeShortString } from '../short-string.ts'
import { felt } from './numbers.ts'

/** The Pedersen hash of a list: every value folded in from 0, the length last. */
export function pedersenArray(values: readonly bigint[]): bigint {
  return BigInt(computeHashOnElements([...values]) as string)
}

/** The fields of a hash of before version 3, in the words of Starknet's documentation. */
export interface PedersenFields {
  readonly prefix: string
  readonly version: bigint
  readonly address: bigint
  readonly selector: bigint
  readonly calldata: readonly bigint[]
  readonly maxFee: bigint
  readonly additional: readonly bigint[]
}

/** The hash of a transaction of before version 3. */
export function pedersenTransactionHash(fields: PedersenFields, chainId: string): Felt {
  return printFelt(
    pedersenArray([
      BigInt(encodeShortString(fields.prefix)),
      fields.version,
      fields.address,
      fields.selector,
      pedersenArray(fields.calldata),
      fields.maxFee,
      felt(chainId, 'chainId'),
      ...fields.additional,
    ]),
  )
}
