import { object, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { StarknetErrorCode } from '../errors.ts'
import { type Felt, feltSchema } from '../felt.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { named, type Params } from '../params.ts'

/** What is known of a transaction that was taken. */
export interface Sent {
  readonly transaction_hash: Felt
}

/** What is known of a declaration that was taken. */
export interface SentDeclare extends Sent {
  readonly class_hash: Felt
}

/** What is known of a deployment that was taken. */
export interface SentDeployAccount extends Sent {
  readonly contract_address: Felt
}

/** `starknet_addInvokeTransaction`. `T`: a transaction. */
export type AddInvoke<T> = StarknetMethodSpec<
  Params<{ readonly invoke_transaction: T }, readonly [invoke_transaction: T]>,
  Sent
>

/** `starknet_addDeclareTransaction`. */
export type AddDeclare<T> = StarknetMethodSpec<
  Params<{ readonly declare_transaction: T }, readonly [declare_transaction: T]>,
  SentDeclare
>

/** `starknet_addDeployAccountTransaction`. */
export type AddDeployAccount<T> = StarknetMethodSpec<
  Params<{ readonly deploy_account_transaction: T }, readonly [deploy_account_transaction: T]>,
  SentDeployAccount
>

const write = { source: 'starknet-specs', effect: 'write' } as const
const refusals = [54, 53, 52, 55, 58, 59, 61, 63] as const

/** `starknet_addInvokeTransaction`; `more`: the errors that its version adds. */
export function addInvoke<T>(transaction: Schema<T>, ...more: readonly StarknetErrorCode[]): AddInvoke<T> {
  return {
    ...write,
    summary: 'Submits a call by an account.',
    ...named<{ readonly invoke_transaction: T }, readonly [invoke_transaction: T]>({ invoke_transaction: transaction }),
    result: object<Sent>('a hash', { transaction_hash: feltSchema }),
    addressPaths: ['0.sender_address', '0.contract_address'],
    errors: [...refusals, ...more],
  }
}

/** `starknet_addDeclareTransaction`; `more`: the errors that its version adds. */
export function addDeclare<T>(transaction: Schema<T>, ...more: readonly StarknetErrorCode[]): AddDeclare<T> {
  return {
    ...write,
    summary: 'Submits a class.',
    ...named<{ readonly declare_transaction: T }, readonly [declare_transaction: T]>({
      declare_transaction: transaction,
    }),
    result: object<SentDeclare>('a hash and a class hash', { transaction_hash: feltSchema, class_hash: feltSchema }),
    addressPaths: ['0.sender_address'],
    errors: [51, 56, 60, 57, 62, ...refusals, ...more],
  }
}

/** `starknet_addDeployAccountTransaction`; `more`: the errors that its version adds. */
export function addDeployAccount<T>(
  transaction: Schema<T>,
  ...more: readonly StarknetErrorCode[]
): AddDeployAccount<T> {
  return {
    ...write,
    summary: 'Submits an account that deploys itself.',
    ...named<{ readonly deploy_account_transaction: T }, readonly [deploy_account_transaction: T]>({
      deploy_account_transaction: transaction,
    }),
    result: object<SentDeployAccount>('a hash and an address', {
      transaction_hash: feltSchema,
      contract_address: feltSchema,
    }),
    errors: [28, ...refusals, ...more],
  }
}
