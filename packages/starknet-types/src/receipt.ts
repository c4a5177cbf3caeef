import { array, object, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from './block-id.ts'
import { both } from './both.ts'
import { byKind } from './by-kind.ts'
import { type Event, eventSchema } from './event.ts'
import { type PriceUnit, priceUnitSchema } from './fee-estimate.ts'
import { type Felt, feltSchema } from './felt.ts'
import { type Hex, hexSchema } from './hex.ts'
import { objectOf } from './object-of.ts'
import {
  type Computation,
  computation_0_5,
  computation_0_6,
  type ComputationAndData,
  computationAndData,
  type TransactionGas,
  transactionGas,
} from './resources.ts'
import { type MessageToL1, messageToL1Schema } from './trace.ts'
import {
  executionStatusSchema,
  type ExecutionStatus,
  type Finality_0_5,
  finality_0_5,
  type Finality_0_9,
  finality_0_9,
} from './transaction-status.ts'
import type { From, StarknetVersion } from './versions.ts'

/** A fee and its unit, since 0.6. */
export interface FeePayment {
  readonly amount: Felt
  readonly unit: PriceUnit
}

/** `F`: a fee, in wei up to 0.5.1; `R`: resources; `S`: a status. */
interface Common<F, R, S> {
  readonly transaction_hash: Felt
  readonly actual_fee: F
  readonly finality_status: S
  readonly execution_status: ExecutionStatus
  readonly revert_reason?: string
  readonly messages_sent: readonly MessageToL1[]
  readonly events: readonly Event[]
  readonly execution_resources: R
  /** Absent while the block is being built, and inside of a block. */
  readonly block_hash?: Felt
  readonly block_number?: number
}

type Kind =
  | { readonly type: 'INVOKE' | 'DECLARE' }
  | { readonly type: 'DEPLOY' | 'DEPLOY_ACCOUNT'; readonly contract_address: Felt }
  | { readonly type: 'L1_HANDLER'; readonly message_hash: Hex }

interface Receipts {
  readonly '0.5.1': Common<Felt, Computation<Hex>, Finality_0_5> & Kind
  readonly '0.6': Common<FeePayment, Computation<number>, Finality_0_5> & Kind
  readonly '0.7': Common<FeePayment, ComputationAndData, Finality_0_5> & Kind
  readonly '0.8': Common<FeePayment, TransactionGas, Finality_0_5> & Kind
  readonly '0.9': Common<FeePayment, TransactionGas, Finality_0_9> & Kind
  readonly '0.10': Common<FeePayment, TransactionGas, Finality_0_9> & Kind
}

/** The outcome of a transaction in a block. Source: Starknet RPC, `TXN_RECEIPT`. */
export type Receipt<V extends StarknetVersion = StarknetVersion> = Receipts[V]

/** A receipt alone: since 0.9 it names the height of its block, though that may have no hash yet. Source: Starknet RPC, `TXN_RECEIPT_WITH_BLOCK_INFO`. */
export type ReceiptWithBlockInfo<V extends StarknetVersion = StarknetVersion> = Receipt<V> &
  From<V, '0.9', BlockInfo, unknown>

interface BlockInfo {
  readonly block_number: number
}

const feePayment: Schema<FeePayment> = /*#__PURE__*/ object<FeePayment>('a fee', {
  amount: feltSchema,
  unit: priceUnitSchema,
})

function receiptSchema<F, R, S>(
  fee: Schema<F>,
  resources: Schema<R>,
  status: Schema<S>,
): Schema<Common<F, R, S> & Kind> {
  const deployed = { contract_address: feltSchema }
  return both(
    byKind<Kind>('a receipt', {
      INVOKE: {},
      DECLARE: {},
      DEPLOY: deployed,
      DEPLOY_ACCOUNT: deployed,
      L1_HANDLER: { message_hash: hexSchema },
    }),
    objectOf<Common<F, R, S>>('a receipt', {
      transaction_hash: feltSchema,
      actual_fee: fee,
      finality_status: status,
      execution_status: executionStatusSchema,
      revert_reason: optional(text('a reason')),
      messages_sent: array(messageToL1Schema),
      events: array(eventSchema),
      execution_resources: resources,
      block_hash: optional(feltSchema),
      block_number: optional(indexSchema),
    }),
  ) as Schema<Common<F, R, S> & Kind>
}

export const receipt_0_5: Schema<Receipt<'0.5.1'>> = /*#__PURE__*/ receiptSchema(
  feltSchema,
  computation_0_5,
  finality_0_5,
)
export const receipt_0_6: Schema<Receipt<'0.6'>> = /*#__PURE__*/ receiptSchema(
  feePayment,
  computation_0_6,
  finality_0_5,
)
export const receipt_0_7: Schema<Receipt<'0.7'>> = /*#__PURE__*/ receiptSchema(
  feePayment,
  computationAndData,
  finality_0_5,
)
export const receipt_0_8: Schema<Receipt<'0.8'>> = /*#__PURE__*/ receiptSchema(feePayment, transactionGas, finality_0_5)
/** Checks a {@link Receipt} since 0.9. */
export const receipt_0_9: Schema<Receipt<'0.9'>> = /*#__PURE__*/ receiptSchema(feePayment, transactionGas, finality_0_9)
/** Checks a {@link ReceiptWithBlockInfo} since 0.9. */
export const receiptWithBlockInfo_0_9: Schema<ReceiptWithBlockInfo<'0.9'>> = /*#__PURE__*/ both(
  receipt_0_9,
  /*#__PURE__*/ object<BlockInfo>('a receipt', { block_number: indexSchema }),
)
