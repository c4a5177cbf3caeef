import type { Schema } from '@wayleave/jsonrpc-core/schema'
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

/** An account that deploys itself and pays in wei: its address follows from class, salt and calldata. */
export interface DeployAccountV1 extends WithMaxFee {
  readonly type: 'DEPLOY_ACCOUNT'
  readonly version: TransactionVersion<1>
  readonly contract_address_salt: Felt
  readonly constructor_calldata: readonly Felt[]
  readonly class_hash: Felt
}

/** The same paid in fri, since 0.6. `B`: its resource bounds. */
export interface DeployAccountV3<B> extends VersionThree<B> {
  readonly type: 'DEPLOY_ACCOUNT'
  readonly contract_address_salt: Felt
  readonly constructor_calldata: readonly Felt[]
  readonly class_hash: Felt
}

const deployed = { contract_address_salt: feltSchema, constructor_calldata: feltsSchema, class_hash: feltSchema }

export const deployAccountV1: KindMembers<DeployAccountV1> = /*#__PURE__*/ merge(withMaxFee, deployed)

export function deployAccountV3<B>(bounds: Schema<B>): KindMembers<DeployAccountV3<B>> {
  return { ...versionThree(bounds), ...deployed }
}
