import { type MethodTable, optional, tuple } from '@wayleave/jsonrpc-core/schema'
import { type BlockParameter, blockParameterSchema } from '../block-parameter.ts'
import { dataSchema, type Hex } from '../data.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'
import { type TransactionCall, transactionCallSchema } from '../transaction-call.ts'

/** Executions that leave no trace. A revert is answered as error 3 with the payload as `data` (Spec §7). */
export interface ExecutionMethods {
  readonly eth_call: {
    readonly params: readonly [call: TransactionCall, block?: BlockParameter]
    /** What the execution returned. */
    readonly result: Hex
  }
  readonly eth_estimateGas: {
    readonly params: readonly [call: TransactionCall, block?: BlockParameter]
    /** Gas; may be well above what is used. */
    readonly result: Quantity
  }
}

/** `eth_call`. Source: execution-apis. */
export const eth_call: MethodTable<ExecutionMethods>['eth_call'] = {
  summary: 'Executes a call without making a transaction, and returns its output.',
  source: 'execution-apis eth_call',
  params: tuple<ExecutionMethods['eth_call']['params']>(transactionCallSchema, optional(blockParameterSchema)),
  result: dataSchema,
  effect: 'read',
  blockParam: 1,
  addressPaths: ['0.to'],
}

/** `eth_estimateGas`. Source: Spec §4.7. */
export const eth_estimateGas: MethodTable<ExecutionMethods>['eth_estimateGas'] = {
  summary: 'An estimate of the gas that a transaction needs.',
  source: 'Spec §4.7',
  params: tuple<ExecutionMethods['eth_estimateGas']['params']>(transactionCallSchema, optional(blockParameterSchema)),
  result: quantitySchema,
  effect: 'read',
  blockParam: 1,
  addressPaths: ['0.to'],
}
