import { optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { KindMembers } from './by-kind.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { merge } from './object-of.ts'
import {
  type TransactionVersion,
  type VersionThree,
  versionThree,
  type WithMaxFee,
  withMaxFee,
} from './transaction-parts.ts'

/** A call of a contract without an account. */
export interface InvokeV0 {
  readonly type: 'INVOKE'
  readonly version: TransactionVersion<0>
  /** Wei. */
  readonly max_fee: Felt
  readonly signature: readonly Felt[]
  readonly contract_address: Felt
  readonly entry_point_selector: Felt
  readonly calldata: readonly Felt[]
}

/** A call by an account that pays in wei. Source: Spec §2.7. */
export interface InvokeV1 extends WithMaxFee {
  readonly type: 'INVOKE'
  readonly version: TransactionVersion<1>
  readonly sender_address: Felt
  readonly calldata: readonly Felt[]
}

/** A call by an account that pays in fri, since 0.6. `B`: its resource bounds. */
export interface InvokeV3<B> extends VersionThree<B> {
  readonly type: 'INVOKE'
  readonly sender_address: Felt
  readonly calldata: readonly Felt[]
  readonly account_deployment_data: readonly Felt[]
}

/** Since 0.10.1. */
export interface ProvenInvokeV3<B> extends InvokeV3<B> {
  /** Facts that its proof is about; nodes return them where they are asked for them. */
  readonly proof_facts?: readonly Felt[]
  /** In base64, on what is submitted. */
  readonly proof?: string
}

export const invokeV0: KindMembers<InvokeV0> = {
  max_fee: feltSchema,
  signature: feltsSchema,
  contract_address: feltSchema,
  entry_point_selector: feltSchema,
  calldata: feltsSchema,
}

export const invokeV1: KindMembers<InvokeV1> = /*#__PURE__*/ merge(withMaxFee, {
  sender_address: feltSchema,
  calldata: feltsSchema,
})

export function invokeV3<B>(bounds: Schema<B>): KindMembers<InvokeV3<B>> {
  return {
    ...versionThree(bounds),
    sender_address: feltSchema,
    calldata: feltsSchema,
    account_deployment_data: feltsSchema,
  }
}

export function provenInvokeV3<B>(bounds: Schema<B>): KindMembers<ProvenInvokeV3<B>> {
  return { ...invokeV3(bounds), proof_facts: optional(feltsSchema), proof: optional(text('a proof in base64')) }
}
