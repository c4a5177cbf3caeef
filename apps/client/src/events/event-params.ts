import {
  evmMethods,
  type EvmSchema,
  type Hash,
  hashSchema,
  type Header,
  type Log,
  type LogSubscriptionFilter,
  type Quantity,
  quantitySchema,
  type Receipt,
  type Transaction,
} from '@wayleave/evm-types'
import { array, assertValid, object, optional, type Schema, SchemaError } from '@wayleave/jsonrpc-core/schema'

/** The place from which a subscription tells; default: from its beginning on. */
export type EventStart =
  | { readonly fromBlock?: never; readonly fromHash?: never }
  /** The first block to tell. */
  | { readonly fromBlock: Quantity; readonly fromHash?: never }
  /** The last block that was told: the blocks after it are told, and those that replaced it. */
  | { readonly fromHash: Hash; readonly fromBlock?: never }

/** The argument of `transactionReceipts`: only those of these transactions. Source: go-ethereum. */
export interface ReceiptsFilter {
  readonly transactionHashes?: readonly Hash[]
}

/** Kind and argument of a subscription. */
export type SubscriptionParams =
  | readonly [kind: 'newHeads', start?: EventStart]
  | readonly [kind: 'logs', filter: LogSubscriptionFilter & EventStart]
  | readonly [kind: 'transactionReceipts', filter?: ReceiptsFilter]
  | readonly [kind: 'newPendingTransactions', full?: boolean]

/**
 * The event of a subscription: a header, a log (`removed: true` takes one back), the receipts of a block, or a pending transaction's
 * hash, with `true` the whole. Typed, not checked.
 */
export type EventOf<P extends SubscriptionParams> = P extends readonly ['newHeads', ...unknown[]]
  ? Header
  : P extends readonly ['logs', ...unknown[]]
    ? Log
    : P extends readonly ['transactionReceipts', ...unknown[]]
      ? readonly Receipt[]
      : P extends readonly ['newPendingTransactions', true]
        ? Transaction
        : P extends readonly ['newPendingTransactions'] | readonly ['newPendingTransactions', false]
          ? Hash
          : Hash | Transaction

interface AnyStart {
  readonly fromBlock?: Quantity
  readonly fromHash?: Hash
}

const what = 'eth_subscribe params'
const startSchema: Schema<AnyStart> = object<AnyStart>(
  'a place to begin',
  { fromBlock: optional(quantitySchema), fromHash: optional(hashSchema) },
  { closed: true },
)
const receiptsSchema: Schema<ReceiptsFilter> = object<ReceiptsFilter>(
  'a filter of receipts',
  { transactionHashes: optional(array(hashSchema)) },
  { closed: true },
)

/** Checks a subscription before it is sent. @throws SchemaError */
export function assertSubscription(params: SubscriptionParams): void {
  const [kind, argument, ...more] = Array.isArray(params) ? (params as readonly unknown[]) : []
  const hasArgument = argument !== undefined && more.length === 0
  if (kind === 'transactionReceipts' && more.length === 0) {
    if (hasArgument) assertMember(receiptsSchema, argument)
  } else if ((kind === 'newHeads' || kind === 'logs') && hasArgument) {
    const isObject = typeof argument === 'object' && argument !== null && !Array.isArray(argument)
    const { fromBlock, fromHash, ...rest } = (isObject ? argument : {}) as AnyStart
    const start = { ...(fromBlock === undefined ? {} : { fromBlock }), ...(fromHash === undefined ? {} : { fromHash }) }
    assertMember(startSchema, kind === 'newHeads' ? argument : start)
    if (fromBlock !== undefined && fromHash !== undefined) {
      const issue = { path: '[1]', expected: 'either fromBlock or fromHash', received: 'both' }
      throw new SchemaError(what, issue)
    }
    if (kind === 'logs') assertPlain([kind, isObject ? rest : argument])
  } else assertPlain(params)
}

function assertPlain(params: unknown): void {
  assertValid(evmMethods.eth_subscribe.params, params as EvmSchema['eth_subscribe']['params'], what)
}

function assertMember(schema: Schema<never> | Schema<AnyStart> | Schema<ReceiptsFilter>, value: unknown): void {
  const issue = schema.check(value, '[1]')
  if (issue !== undefined) throw new SchemaError(what, issue)
}
