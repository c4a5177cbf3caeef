import { object, oneOf, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Hex, hexSchema } from './hex.ts'
import type { StarknetVersion } from './versions.ts'

/** The unit of a fee: 10^-18 ether, or 10^-18 STRK for transactions of version 3. */
export type PriceUnit = 'WEI' | 'FRI'

/** Source: Spec §2.8. All three are in wei, whatever the specification says of gwei. */
export interface GasFee {
  readonly gas_consumed: Hex
  /** Wei per gas. */
  readonly gas_price: Hex
  /** Wei: `gas_consumed` times `gas_price` up to 0.5.1; from 0.6 nodes add the gas of the data. */
  readonly overall_fee: Hex
}

/** Since 0.6. */
export interface GasFeeInUnit extends GasFee {
  /** The unit of `overall_fee` and of the prices. */
  readonly unit: PriceUnit
}

/** Since 0.7. */
export interface GasAndDataFee extends GasFeeInUnit {
  readonly data_gas_consumed: Hex
  readonly data_gas_price: Hex
}

/** Since 0.8. */
export interface ResourcesFee {
  readonly l1_gas_consumed: Hex
  readonly l1_gas_price: Hex
  readonly l2_gas_consumed: Hex
  readonly l2_gas_price: Hex
  readonly l1_data_gas_consumed: Hex
  readonly l1_data_gas_price: Hex
  readonly overall_fee: Hex
  /** The unit of `overall_fee` and of the prices. From 0.9 `FRI`, and `WEI` for a message, but nodes tell of old transactions in wei. */
  readonly unit: PriceUnit
}

interface FeeEstimates {
  readonly '0.5.1': GasFee
  readonly '0.6': GasFeeInUnit
  readonly '0.7': GasAndDataFee
  readonly '0.8': ResourcesFee
  readonly '0.9': ResourcesFee
  readonly '0.10': ResourcesFee
}

/** The expected cost of a transaction. Source: Starknet RPC, `FEE_ESTIMATE`. */
export type FeeEstimate<V extends StarknetVersion = StarknetVersion> = FeeEstimates[V]

export const priceUnitSchema: Schema<PriceUnit> = /*#__PURE__*/ oneOf('WEI', 'FRI')

const words = 'a fee estimate'

export const feeEstimate_0_5: Schema<GasFee> = /*#__PURE__*/ object(words, {
  gas_consumed: hexSchema,
  gas_price: hexSchema,
  overall_fee: hexSchema,
})

export const feeEstimate_0_6: Schema<GasFeeInUnit> = /*#__PURE__*/ object(words, {
  gas_consumed: hexSchema,
  gas_price: hexSchema,
  overall_fee: hexSchema,
  unit: priceUnitSchema,
})

export const feeEstimate_0_7: Schema<GasAndDataFee> = /*#__PURE__*/ object(words, {
  gas_consumed: hexSchema,
  gas_price: hexSchema,
  data_gas_consumed: hexSchema,
  data_gas_price: hexSchema,
  overall_fee: hexSchema,
  unit: priceUnitSchema,
})

export const feeEstimate_0_8: Schema<ResourcesFee> = /*#__PURE__*/ object(words, {
  l1_gas_consumed: hexSchema,
  l1_gas_price: hexSchema,
  l2_gas_consumed: hexSchema,
  l2_gas_price: hexSchema,
  l1_data_gas_consumed: hexSchema,
  l1_data_gas_price: hexSchema,
  overall_fee: hexSchema,
  unit: priceUnitSchema,
})
