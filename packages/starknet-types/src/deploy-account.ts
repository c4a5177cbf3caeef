import { object, oneOf, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { merge, objectOf } from './object-of.ts'
import {
  type TransactionVersion,
  type VersionThree,
  versionSchema,
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

const type: Schema<'DEPLOY_ACCOUNT'> = /*#__PURE__*/ oneOf('DEPLOY_ACCOUNT')

/** Checks a {@link DeployAccountV1}. */
export const deployAccountV1: Schema<DeployAccountV1> = /*#__PURE__*/ object<DeployAccountV1>(
  'a DEPLOY_ACCOUNT of version 1',
  /*#__PURE__*/ merge(withMaxFee, {
    type,
    version: /*#__PURE__*/ versionSchema(1),
    contract_address_salt: feltSchema,
    constructor_calldata: feltsSchema,
    class_hash: feltSchema,
  }),
)

/** Checks a {@link DeployAccountV3}. */
export function deployAccountV3<B>(bounds: Schema<B>): Schema<DeployAccountV3<B>> {
  return objectOf<DeployAccountV3<B>>('a DEPLOY_ACCOUNT of version 3', {
    ...versionThree(bounds),
    type,
    contract_address_salt: feltSchema,
    constructor_calldata: feltsSchema,
    class_hash: feltSchema,
  })
}
