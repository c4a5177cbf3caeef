import { object, oneOf, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { KindMembers } from './by-kind.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { type Hex, u128Schema, u64Schema } from './hex.ts'
import type { StarknetVersion } from './versions.ts'

/** A transaction version, or the one under which a transaction is only tried: its signature is good for nothing else. */
export type TransactionVersion<N extends 0 | 1 | 2 | 3> = `0x${N}` | `0x10000000000000000000000000000000${N}`

/** How much of a resource a transaction may use, and what it offers for it. */
export interface ResourceBounds {
  /** Below 2^64. */
  readonly max_amount: Hex
  /** Fri, below 2^128. */
  readonly max_price_per_unit: Hex
}

/** The bounds of a transaction of version 3 up to 0.7. */
export interface TwoBounds {
  readonly l1_gas: ResourceBounds
  readonly l2_gas: ResourceBounds
}

/** Since 0.8. */
export interface ThreeBounds extends TwoBounds {
  readonly l1_data_gas: ResourceBounds
}

interface BoundsOf {
  readonly '0.5.1': never
  readonly '0.6': TwoBounds
  readonly '0.7': TwoBounds
  readonly '0.8': ThreeBounds
  readonly '0.9': ThreeBounds
  readonly '0.10': ThreeBounds
}

/** The bounds of a transaction of version 3. Source: Starknet RPC, `RESOURCE_BOUNDS_MAPPING`. */
export type ResourceBoundsMapping<V extends StarknetVersion = StarknetVersion> = BoundsOf[V]

/** The layer that keeps data available. */
export type DataAvailabilityMode = 'L1' | 'L2'

/** The members of every transaction of version 3. */
export interface VersionThree<B> {
  readonly version: TransactionVersion<3>
  readonly signature: readonly Felt[]
  readonly nonce: Felt
  readonly resource_bounds: B
  /** Fri per unit of L2 gas, below 2^64. */
  readonly tip: Hex
  readonly paymaster_data: readonly Felt[]
  readonly nonce_data_availability_mode: DataAvailabilityMode
  readonly fee_data_availability_mode: DataAvailabilityMode
}

/** The members of every transaction of versions 1 and 2. */
export interface WithMaxFee {
  /** Wei. */
  readonly max_fee: Felt
  readonly signature: readonly Felt[]
  readonly nonce: Felt
}

const bounds: Schema<ResourceBounds> = /*#__PURE__*/ object('bounds of a resource', {
  max_amount: u64Schema,
  max_price_per_unit: u128Schema,
})

export const bounds_0_6: Schema<TwoBounds> = /*#__PURE__*/ object('resource bounds', { l1_gas: bounds, l2_gas: bounds })

export const bounds_0_8: Schema<ThreeBounds> = /*#__PURE__*/ object('resource bounds', {
  l1_gas: bounds,
  l2_gas: bounds,
  l1_data_gas: bounds,
})

export const withMaxFee: KindMembers<WithMaxFee> = {
  max_fee: feltSchema,
  signature: feltsSchema,
  nonce: feltSchema,
}

const mode: Schema<DataAvailabilityMode> = /*#__PURE__*/ oneOf('L1', 'L2')

export function versionThree<B>(mapping: Schema<B>): KindMembers<VersionThree<B>> {
  return {
    signature: feltsSchema,
    nonce: feltSchema,
    resource_bounds: mapping,
    tip: u64Schema,
    paymaster_data: feltsSchema,
    nonce_data_availability_mode: mode,
    fee_data_availability_mode: mode,
  }
}
