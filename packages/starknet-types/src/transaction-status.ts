import { array, nullable, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { type Felt, feltSchema } from './felt.ts'
import { objectOf } from './object-of.ts'
import type { From, StarknetVersion } from './versions.ts'

/** Whether a transaction did what it was to, or was undone and only paid for. */
export type ExecutionStatus = 'SUCCEEDED' | 'REVERTED'

/** The states of a transaction, up to 0.8. */
export type Status_0_5 = 'RECEIVED' | 'REJECTED' | 'ACCEPTED_ON_L2' | 'ACCEPTED_ON_L1'

/** The states of a transaction, since 0.9. */
export type Status_0_9 = 'RECEIVED' | 'CANDIDATE' | 'PRE_CONFIRMED' | 'ACCEPTED_ON_L2' | 'ACCEPTED_ON_L1'

/** The states of a transaction in a block, up to 0.8. */
export type Finality_0_5 = 'ACCEPTED_ON_L2' | 'ACCEPTED_ON_L1'

/** The states of a transaction in a block, since 0.9. */
export type Finality_0_9 = 'PRE_CONFIRMED' | Finality_0_5

/** The states of a transaction in a version. */
export type StatusOfTransaction<V extends StarknetVersion> = From<V, '0.9', Status_0_9, Status_0_5>

/** The states of a message from L1 in a version. */
export type StatusOfMessage<V extends StarknetVersion> = From<V, '0.9', Finality_0_9, Status_0_5>

/** The state of a transaction. `S`: one of its version's. Source: Starknet RPC, `TXN_STATUS_RESULT`. */
export interface TransactionStatus<S> {
  readonly finality_status: S
  readonly execution_status?: ExecutionStatus
  /** Why it was rejected or reverted; since 0.7. starknet-devnet says null where it was neither. */
  readonly failure_reason?: string | null
}

/** The state of a message from L1. Source: Starknet RPC 0.8. */
export interface MessageStatus<S> extends TransactionStatus<S> {
  readonly transaction_hash: Felt
}

/** Checks an {@link ExecutionStatus}. */
export const executionStatusSchema: Schema<ExecutionStatus> = /*#__PURE__*/ oneOf('SUCCEEDED', 'REVERTED')
/** Checks a {@link Status_0_5}. */
export const status_0_5: Schema<Status_0_5> = /*#__PURE__*/ oneOf(
  'RECEIVED',
  'REJECTED',
  'ACCEPTED_ON_L2',
  'ACCEPTED_ON_L1',
)
/** Checks a {@link Status_0_9}. */
export const status_0_9: Schema<Status_0_9> = /*#__PURE__*/ oneOf(
  'RECEIVED',
  'CANDIDATE',
  'PRE_CONFIRMED',
  'ACCEPTED_ON_L2',
  'ACCEPTED_ON_L1',
)
/** Checks a {@link Finality_0_5}. */
export const finality_0_5: Schema<Finality_0_5> = /*#__PURE__*/ oneOf('ACCEPTED_ON_L2', 'ACCEPTED_ON_L1')
/** Checks a {@link Finality_0_9}. */
export const finality_0_9: Schema<Finality_0_9> = /*#__PURE__*/ oneOf(
  'PRE_CONFIRMED',
  'ACCEPTED_ON_L2',
  'ACCEPTED_ON_L1',
)

/** Checks a {@link TransactionStatus}. */
export function transactionStatus<S>(status: Schema<S>): Schema<TransactionStatus<S>> {
  return objectOf<TransactionStatus<S>>('the state of a transaction', {
    finality_status: status,
    execution_status: optional(executionStatusSchema),
    failure_reason: optional(nullable(text('a reason'))),
  })
}

/** Checks a list of {@link MessageStatus}. */
export function messagesStatus<S>(status: Schema<S>): Schema<readonly MessageStatus<S>[]> {
  return array(
    objectOf<MessageStatus<S>>('the state of a message', {
      transaction_hash: feltSchema,
      finality_status: status,
      execution_status: optional(executionStatusSchema),
      failure_reason: optional(nullable(text('a reason'))),
    }),
  )
}
