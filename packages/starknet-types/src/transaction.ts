import { object, type Schema } from '@wayleave/jsonrpc-core/schema'
import { both } from './both.ts'
import { byKind } from './by-kind.ts'
import {
  type DeclareV0,
  declareV0,
  type DeclareV1,
  declareV1,
  type DeclareV2,
  declareV2,
  type DeclareV3,
  declareV3,
} from './declare.ts'
import { type DeployAccountV1, deployAccountV1, type DeployAccountV3, deployAccountV3 } from './deploy-account.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { type Hex, hexSchema } from './hex.ts'
import {
  type InvokeV0,
  invokeV0,
  type InvokeV1,
  invokeV1,
  type InvokeV3,
  invokeV3,
  type ProvenInvokeV3,
  provenInvokeV3,
} from './invoke.ts'
import { type Members, merge } from './object-of.ts'
import { bounds_0_6, bounds_0_8, type ThreeBounds, type TwoBounds } from './transaction-parts.ts'
import type { StarknetVersion } from './versions.ts'

/** A contract that was deployed before there were accounts; no longer possible. */
export interface Deploy {
  readonly type: 'DEPLOY'
  readonly version: Hex
  readonly contract_address_salt: Felt
  readonly constructor_calldata: readonly Felt[]
  readonly class_hash: Felt
}

/** A message from L1 that arrived: nobody submits it. */
export interface L1Handler {
  readonly type: 'L1_HANDLER'
  readonly version: Hex
  readonly nonce: Hex
  readonly contract_address: Felt
  readonly entry_point_selector: Felt
  /** The sender on L1 first. */
  readonly calldata: readonly Felt[]
}

type Old = InvokeV0 | InvokeV1 | DeclareV0 | DeclareV1 | DeclareV2 | Deploy | DeployAccountV1 | L1Handler

/** Version 3, with or without data gas: today's chains are made of it, and an adapter passes it to callers of 0.5.1. */
type AnyV3 =
  | InvokeV3<TwoBounds | ThreeBounds>
  | DeclareV3<TwoBounds | ThreeBounds>
  | DeployAccountV3<TwoBounds | ThreeBounds>

interface Transactions {
  readonly '0.5.1': Old | AnyV3
  readonly '0.6': Old | InvokeV3<TwoBounds> | DeclareV3<TwoBounds> | DeployAccountV3<TwoBounds>
  readonly '0.7': Old | InvokeV3<TwoBounds> | DeclareV3<TwoBounds> | DeployAccountV3<TwoBounds>
  readonly '0.8': Old | InvokeV3<ThreeBounds> | DeclareV3<ThreeBounds> | DeployAccountV3<ThreeBounds>
  readonly '0.9': Old | InvokeV3<ThreeBounds> | DeclareV3<ThreeBounds> | DeployAccountV3<ThreeBounds>
  readonly '0.10': Old | ProvenInvokeV3<ThreeBounds> | DeclareV3<ThreeBounds> | DeployAccountV3<ThreeBounds>
}

/** A transaction as a chain keeps it, told apart by `type` and `version`. Source: Starknet RPC, `TXN`. */
export type Transaction<V extends StarknetVersion = StarknetVersion> = Transactions[V]

/** A transaction and its hash. */
export type TransactionWithHash<V extends StarknetVersion = StarknetVersion> = Transaction<V> & {
  readonly transaction_hash: Felt
}

const deploy: Members<Omit<Deploy, 'type'>> = {
  version: hexSchema,
  contract_address_salt: feltSchema,
  constructor_calldata: feltsSchema,
  class_hash: feltSchema,
}

const l1Handler: Members<Omit<L1Handler, 'type'>> = {
  version: hexSchema,
  nonce: hexSchema,
  contract_address: feltSchema,
  entry_point_selector: feltSchema,
  calldata: feltsSchema,
}

const old = {
  'INVOKE 0x0': invokeV0,
  'INVOKE 0x1': invokeV1,
  'DECLARE 0x0': declareV0,
  'DECLARE 0x1': declareV1,
  'DECLARE 0x2': declareV2,
  'DEPLOY_ACCOUNT 0x1': deployAccountV1,
  DEPLOY: deploy,
  L1_HANDLER: l1Handler,
}

const words = 'a transaction'

const kinds_0_6 = /*#__PURE__*/ merge(old, {
  'INVOKE 0x3': /*#__PURE__*/ invokeV3(bounds_0_6),
  'DECLARE 0x3': /*#__PURE__*/ declareV3(bounds_0_6),
  'DEPLOY_ACCOUNT 0x3': /*#__PURE__*/ deployAccountV3(bounds_0_6),
})

export const transaction_0_5: Schema<Transaction<'0.5.1'>> = /*#__PURE__*/ byKind(words, kinds_0_6)

/** Checks a {@link Transaction} of 0.6 and 0.7. */
export const transaction_0_6: Schema<Transaction<'0.6'>> = /*#__PURE__*/ byKind(words, kinds_0_6)

/** Checks a {@link Transaction} of 0.8 and 0.9. */
export const transaction_0_8: Schema<Transaction<'0.8'>> = /*#__PURE__*/ byKind(
  words,
  /*#__PURE__*/ merge(old, {
    'INVOKE 0x3': /*#__PURE__*/ invokeV3(bounds_0_8),
    'DECLARE 0x3': /*#__PURE__*/ declareV3(bounds_0_8),
    'DEPLOY_ACCOUNT 0x3': /*#__PURE__*/ deployAccountV3(bounds_0_8),
  }),
)

export const transaction_0_10: Schema<Transaction<'0.10'>> = /*#__PURE__*/ byKind(
  words,
  /*#__PURE__*/ merge(old, {
    'INVOKE 0x3': /*#__PURE__*/ provenInvokeV3(bounds_0_8),
    'DECLARE 0x3': /*#__PURE__*/ declareV3(bounds_0_8),
    'DEPLOY_ACCOUNT 0x3': /*#__PURE__*/ deployAccountV3(bounds_0_8),
  }),
)

/** Checks a transaction and its hash. */
export function withHash<T>(transaction: Schema<T>): Schema<T & { readonly transaction_hash: Felt }> {
  return both(
    transaction,
    object<{ readonly transaction_hash: Felt }>('a transaction', { transaction_hash: feltSchema }),
  )
}
