import { object, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { BroadcastDeclare, BroadcastDeployAccount, BroadcastInvoke } from '../broadcast-transaction.ts'
import { type Felt, feltSchema } from '../felt.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import type { Params } from '../params.ts'
import type { StarknetVersion } from '../versions.ts'

/** The answer to a transaction that was taken. */
export interface Sent {
  readonly transaction_hash: Felt
}

/** The answer to a declaration that was taken. */
export interface SentDeclare extends Sent {
  readonly class_hash: Felt
}

/** The answer to a deployment that was taken. */
export interface SentDeployAccount extends Sent {
  readonly contract_address: Felt
}

export type AddInvoke<V extends StarknetVersion> = StarknetMethodSpec<
  Params<{ readonly invoke_transaction: BroadcastInvoke<V> }, readonly [invoke_transaction: BroadcastInvoke<V>]>,
  Sent
>

export type AddDeclare<V extends StarknetVersion> = StarknetMethodSpec<
  Params<{ readonly declare_transaction: BroadcastDeclare<V> }, readonly [declare_transaction: BroadcastDeclare<V>]>,
  SentDeclare
>

export type AddDeployAccount<V extends StarknetVersion> = StarknetMethodSpec<
  Params<
    { readonly deploy_account_transaction: BroadcastDeployAccount<V> },
    readonly [deploy_account_transaction: BroadcastDeployAccount<V>]
  >,
  SentDeployAccount
>

export const sentSchema: Schema<Sent> = /*#__PURE__*/ object<Sent>('a hash', { transaction_hash: feltSchema })

export const sentDeclareSchema: Schema<SentDeclare> = /*#__PURE__*/ object<SentDeclare>('a hash and a class hash', {
  transaction_hash: feltSchema,
  class_hash: feltSchema,
})

export const sentDeployAccountSchema: Schema<SentDeployAccount> = /*#__PURE__*/ object<SentDeployAccount>(
  'a hash and an address',
  { transaction_hash: feltSchema, contract_address: feltSchema },
)
