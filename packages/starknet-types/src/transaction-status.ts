import { array, nullable, object, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { both } from './both.ts'
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

/** The state of a transaction. `S`: one of its version's. Source: Starknet RPC, `TXN_STATUS_RESULT`. */
export interface TransactionStatus<S> {
  readonly finality_status: S
  readonly execution_status?: ExecutionStatus
  /** Why it was rejected or reverted; since 0.7. starknet-devnet says null where it was neither. */
  readonly failure_reason?: string | null
}

interface Message<S> extends TransactionStatus<S> {
  readonly transaction_hash: Felt
}

interface Executed {
  readonly execution_status: ExecutionStatus
}

/** The state of a message from L1; since 0.9 only messages that arrived have one. Source: Starknet RPC, `starknet_getMessagesStatus`. */
export type MessageStatus<V extends StarknetVersion = StarknetVersion> = From<
  V,
  '0.9',
  Message<Finality_0_9> & Executed,
  Message<Status_0_5>
>

export const executionStatusSchema: Schema<ExecutionStatus> = /*#__PURE__*/ oneOf('SUCCEEDED', 'REVERTED')
export const status_0_5: Schema<Status_0_5> = /*#__PURE__*/ oneOf(
  'RECEIVED',
  'REJECTED',
  'ACCEPTED_ON_L2',
  'ACCEPTED_ON_L1',
)
export const status_0_9: Schema<Status_0_9> = /*#__PURE__*/ oneOf(
  'RECEIVED',
  'CANDIDATE',
  'PRE_CONFIRMED',
  'ACCEPTED_ON_L2',
  'ACCEPTED_ON_L1',
)
export const finality_0_5: Schema<Finality_0_5> = /*#__PURE__*/ oneOf('ACCEPTED_ON_L2', 'ACCEPTED_ON_L1')
export const finality_0_9: Schema<Finality_0_9> = /*#__PURE__*/ oneOf(
  'PRE_CONFIRMED',
  'ACCEPTED_ON_L2',
  'ACCEPTED_ON_L1',
)

export function transactionStatus<S>(status: Schema<S>): Schema<TransactionStatus<S>> {
  return objectOf<TransactionStatus<S>>('the state of a transaction', {
    finality_status: status,
    execution_status: optional(executionStatusSchema),
    failure_reason: optional(nullable(text('a reason'))),
  })
}

function message<S>(status: Schema<S>): Schema<Message<S>> {
  return both(
    transactionStatus(status),
    object<Pick<Message<S>, 'transaction_hash'>>(words, { transaction_hash: feltSchema }),
  )
}

const words = 'the state of a message'

/** Checks a list of {@link MessageStatus} of 0.8. */
export const messagesStatus_0_8: Schema<readonly MessageStatus<'0.8'>[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ message(status_0_5),
)
/** Checks a list of {@link MessageStatus} since 0.9. */
export const messagesStatus_0_9: Schema<readonly MessageStatus<'0.9'>[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ both(
    /*#__PURE__*/ message(finality_0_9),
    /*#__PURE__*/ object<Executed>(words, { execution_status: executionStatusSchema }),
  ),
)
