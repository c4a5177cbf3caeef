import {
  object,
  optional,
  type OptionalSchema,
  type RuleTable,
  type Schema,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type BlockParameter, optionalBlock } from '../block-parameter.ts'
import { dataSchema, type Hex } from '../data.ts'
import { maybe } from '../maybe.ts'
import { type BlockOverrides, blockOverridesSchema, type StateOverrides, stateOverridesSchema } from '../overrides.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'
import { type AccessListEntry, accessListSchema } from '../transaction.ts'
import { type TransactionCall, transactionCallSchema } from '../transaction-call.ts'

/** The addresses and storage keys that an execution touches, and the gas it uses with them. Source: execution-apis. */
export interface AccessListAnswer {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: Quantity
  /** The reason if the execution failed. */
  readonly error?: string | null
}

/** A completed, unsigned transaction. Source: go-ethereum. */
export interface FilledTransaction {
  /** The encoded bytes to sign. */
  readonly raw: Hex
  readonly tx: object
}

/** Executions that change nothing. A revert is error 3 with the payload as `data` (Spec §7). */
export interface ExecutionMethods {
  readonly eth_call: {
    readonly params: readonly [
      call: TransactionCall,
      block?: BlockParameter,
      stateOverrides?: StateOverrides,
      blockOverrides?: BlockOverrides,
    ]
    /** The return value of the execution. */
    readonly result: Hex
  }
  readonly eth_estimateGas: {
    readonly params: readonly [
      call: TransactionCall,
      block?: BlockParameter,
      stateOverrides?: StateOverrides,
      blockOverrides?: BlockOverrides,
    ]
    /** Gas; may be well above the gas that is used. */
    readonly result: Quantity
  }
  readonly eth_createAccessList: {
    readonly params: readonly [call: TransactionCall, block?: BlockParameter, stateOverrides?: StateOverrides]
    readonly result: AccessListAnswer
  }
  readonly eth_fillTransaction: {
    readonly params: readonly [transaction: TransactionCall]
    readonly result: FilledTransaction
  }
}

const optionalStateOverrides: OptionalSchema<StateOverrides> = /*#__PURE__*/ optional(stateOverridesSchema)
const optionalBlockOverrides: OptionalSchema<BlockOverrides> = /*#__PURE__*/ optional(blockOverridesSchema)

const callParams: Schema<ExecutionMethods['eth_call']['params']> = /*#__PURE__*/ tuple<
  ExecutionMethods['eth_call']['params']
>(transactionCallSchema, optionalBlock, optionalStateOverrides, optionalBlockOverrides)

/** A call may run the code at `to`, code that an authorisation delegates to, and code that an override installs. */
const executedPaths: readonly string[] = ['0.to', '0.authorizationList.address', '2.*']

const accessListAnswerSchema: Schema<AccessListAnswer> = /*#__PURE__*/ object<AccessListAnswer>(
  'an access list answer',
  {
    accessList: accessListSchema,
    gasUsed: quantitySchema,
    error: /*#__PURE__*/ maybe(/*#__PURE__*/ text('a reason')),
  },
)

const filledSchema: Schema<FilledTransaction> = /*#__PURE__*/ object<FilledTransaction>('a filled transaction', {
  raw: dataSchema,
  tx: /*#__PURE__*/ object<object>('an unsigned transaction', {}),
})

/** `eth_call`. Source: execution-apis. */
export const eth_call: RuleTable<ExecutionMethods>['eth_call'] = {
  params: callParams,
  result: dataSchema,
  paramNames: ['call', 'block?', 'stateOverrides?', 'blockOverrides?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: executedPaths,
}

/** `eth_estimateGas`. Source: Spec §4.7. */
export const eth_estimateGas: RuleTable<ExecutionMethods>['eth_estimateGas'] = {
  params: callParams,
  result: quantitySchema,
  paramNames: ['call', 'block?', 'stateOverrides?', 'blockOverrides?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: executedPaths,
}

/** `eth_createAccessList`. Source: execution-apis. */
export const eth_createAccessList: RuleTable<ExecutionMethods>['eth_createAccessList'] = {
  params: /*#__PURE__*/ tuple<ExecutionMethods['eth_createAccessList']['params']>(
    transactionCallSchema,
    optionalBlock,
    optionalStateOverrides,
  ),
  result: accessListAnswerSchema,
  paramNames: ['call', 'block?', 'stateOverrides?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: executedPaths,
}

/** `eth_fillTransaction`. Source: go-ethereum eth_fillTransaction. */
export const eth_fillTransaction: RuleTable<ExecutionMethods>['eth_fillTransaction'] = {
  params: /*#__PURE__*/ tuple<ExecutionMethods['eth_fillTransaction']['params']>(transactionCallSchema),
  result: filledSchema,
  paramNames: ['transaction'],
  effect: 'read',
  addressPaths: ['0.from', '0.to', '0.authorizationList.address'],
}
