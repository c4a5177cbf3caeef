import { poseidonHashMany } from '@scure/starknet'
import { type Felt, printFelt } from '../felt.ts'
import { u64Schema, u128Schema } from '../hex.ts'
import { encodeShortString } from '../short-string.ts'
import { felt, felts, number, refuse } from './numbers.ts'
import type { HashableBound, HashableV3Fields } from './transactions.ts'
import { versionNumber } from './version.ts'

/** The Poseidon hash of a member that is a list of felts. */
export function poseidonFelts(values: unknown, what: string): bigint {
  return poseidonHashMany(felts(values, what))
}

/** The hash of a transaction of version 3 (SNIP-8): `rest` is what its type adds. */
export function v3Hash(
  prefix: string,
  address: bigint,
  tx: HashableV3Fields,
  chainId: string,
  rest: readonly bigint[],
): Felt {
  return printFelt(
    poseidonHashMany([
      BigInt(encodeShortString(prefix)),
      versionNumber(tx.version, 3n),
      address,
      feeHash(tx),
      poseidonFelts(tx.paymaster_data, 'paymaster_data'),
      felt(chainId, 'chainId'),
      felt(tx.nonce, 'nonce'),
      (mode(tx.nonce_data_availability_mode, 'nonce_data_availability_mode') << 32n) |
        mode(tx.fee_data_availability_mode, 'fee_data_availability_mode'),
      ...rest,
    ]),
  )
}

function feeHash({ tip, resource_bounds: bounds }: HashableV3Fields): bigint {
  const { l1_gas, l2_gas, l1_data_gas } = bounds ?? refuse('resource_bounds', 'an object', bounds)
  const values = [number(tip, u64Schema, 'tip'), bound('L1_GAS', l1_gas), bound('L2_GAS', l2_gas)]
  // Transactions signed before Starknet 0.13.4 know two resources, and their hash has no third.
  if (l1_data_gas !== undefined) values.push(bound('L1_DATA', l1_data_gas))
  return poseidonHashMany(values)
}

function bound(name: string, value: HashableBound): bigint {
  const amount = number(value?.max_amount, u64Schema, `max_amount of ${name}`)
  const price = number(value?.max_price_per_unit, u128Schema, `max_price_per_unit of ${name}`)
  return (((BigInt(encodeShortString(name)) << 64n) | amount) << 128n) | price
}

function mode(value: unknown, what: string): bigint {
  if (value === 'L1') return 0n
  return value === 'L2' ? 1n : refuse(what, '"L1" or "L2"', value)
}
