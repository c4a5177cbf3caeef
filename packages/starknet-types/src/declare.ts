import type { Schema } from '@wayleave/jsonrpc-core/schema'
import type { KindMembers } from './by-kind.ts'
import {
  type ContractClass,
  contractClassSchema,
  type DeprecatedContractClass,
  deprecatedContractClassSchema,
} from './contract-class.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { merge } from './object-of.ts'
import {
  type TransactionVersion,
  type VersionThree,
  versionThree,
  type WithMaxFee,
  withMaxFee,
} from './transaction-parts.ts'

/** A class of Cairo 0 that was declared without a nonce. */
export interface DeclareV0 extends Omit<WithMaxFee, 'nonce'> {
  readonly type: 'DECLARE'
  readonly version: TransactionVersion<0>
  readonly sender_address: Felt
  readonly class_hash: Felt
}

interface V1 extends WithMaxFee {
  readonly type: 'DECLARE'
  readonly version: TransactionVersion<1>
  readonly sender_address: Felt
}

interface V2 extends WithMaxFee {
  readonly type: 'DECLARE'
  readonly version: TransactionVersion<2>
  readonly sender_address: Felt
  readonly compiled_class_hash: Felt
}

interface V3<B> extends VersionThree<B> {
  readonly type: 'DECLARE'
  readonly sender_address: Felt
  readonly compiled_class_hash: Felt
  readonly account_deployment_data: readonly Felt[]
}

/** The part of a declaration that a chain keeps: the hash of its class. */
interface Kept {
  readonly class_hash: Felt
}

/** The part of a declaration that is sent: the class itself. */
interface Sent<C> {
  readonly contract_class: C
}

/** A declared class of Cairo 0. */
export interface DeclareV1 extends V1, Kept {}
/** A declared class of Cairo 1, paid in wei. */
export interface DeclareV2 extends V2, Kept {}
/** A declared class of Cairo 1, paid in fri, since 0.6. `B`: its resource bounds. */
export interface DeclareV3<B> extends V3<B>, Kept {}

/** A {@link DeclareV1} as it is sent. */
export interface BroadcastDeclareV1 extends V1, Sent<DeprecatedContractClass> {}
/** A {@link DeclareV2} as it is sent. */
export interface BroadcastDeclareV2 extends V2, Sent<ContractClass> {}
/** A {@link DeclareV3} as it is sent. */
export interface BroadcastDeclareV3<B> extends V3<B>, Sent<ContractClass> {}

const kept: KindMembers<Kept> = { class_hash: feltSchema }
const v1: KindMembers<V1> = /*#__PURE__*/ merge(withMaxFee, { sender_address: feltSchema })
const v2: KindMembers<V2> = /*#__PURE__*/ merge(v1, { compiled_class_hash: feltSchema })

function v3<B>(bounds: Schema<B>): KindMembers<V3<B>> {
  return {
    ...versionThree(bounds),
    sender_address: feltSchema,
    compiled_class_hash: feltSchema,
    account_deployment_data: feltsSchema,
  }
}

export const declareV0: KindMembers<DeclareV0> = {
  max_fee: feltSchema,
  signature: feltsSchema,
  sender_address: feltSchema,
  class_hash: feltSchema,
}

export const declareV1: KindMembers<DeclareV1> = /*#__PURE__*/ merge(v1, kept)

export const declareV2: KindMembers<DeclareV2> = /*#__PURE__*/ merge(v2, kept)

export function declareV3<B>(bounds: Schema<B>): KindMembers<DeclareV3<B>> {
  return { ...v3(bounds), ...kept }
}

export const broadcastDeclareV1: KindMembers<BroadcastDeclareV1> = /*#__PURE__*/ merge(v1, {
  contract_class: deprecatedContractClassSchema,
})

export const broadcastDeclareV2: KindMembers<BroadcastDeclareV2> = /*#__PURE__*/ merge(v2, {
  contract_class: contractClassSchema,
})

export function broadcastDeclareV3<B>(bounds: Schema<B>): KindMembers<BroadcastDeclareV3<B>> {
  return { ...v3(bounds), contract_class: contractClassSchema }
}
