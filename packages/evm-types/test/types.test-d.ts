import { type MethodTable, object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import {
  type Address,
  addressSchema,
  type Block,
  blockSchema,
  evmMethods,
  type EvmSchema,
  type Hash,
  hashSchema,
  type Hex,
  isRollupInfo,
  type Log,
  mappingSlot,
  type NodeErrorKind,
  type Quantity,
  quantitySchema,
  type Receipt,
  receiptSchema,
  type RevertReason,
  type RollupInfo,
  type Transaction,
  transactionSchema,
} from '../src/index.ts'

// A schema checks for its own type, not for another, a wider or a narrower one.
export const own: Schema<Transaction> = transactionSchema
// @ts-expect-error another type
export const other: Schema<Transaction> = receiptSchema
// @ts-expect-error a wider type
export const wider: Schema<string> = addressSchema
// @ts-expect-error a wider object
export const base: Schema<Pick<Block, 'hash'>> = blockSchema
declare const anyText: Schema<string>
// @ts-expect-error a narrower type
export const narrower: Schema<Address> = anyText
// @ts-expect-error without null
export const notNull: MethodTable<EvmSchema>['eth_getTransactionByHash']['result'] = transactionSchema

// A shape has all members of its type, and no optional one as required.
interface Pair {
  readonly a: Hex
  readonly b?: Quantity
}
export const pair: Schema<Pair> = object<Pair>('a pair', { a: hashSchema, b: optional(quantitySchema) })
// @ts-expect-error a missing member
export const missing: Schema<Pair> = object<Pair>('a pair', { a: hashSchema })
// @ts-expect-error an optional member as required
export const required: Schema<Pair> = object<Pair>('a pair', { a: hashSchema, b: quantitySchema })
// @ts-expect-error a required member as optional
export const absent: Schema<Pair> = object<Pair>('a pair', { a: optional(hashSchema), b: optional(quantitySchema) })
export const unknownMember: Schema<Pair> = object<Pair>('a pair', {
  a: hashSchema,
  b: optional(quantitySchema),
  // @ts-expect-error an unknown member
  c: hashSchema,
})

// The table has every method of the schema, with its own params and result.
const { eth_call: _, ...incomplete } = evmMethods
// @ts-expect-error a missing method
export const table: MethodTable<EvmSchema> = incomplete
export const swapped: MethodTable<EvmSchema> = {
  ...evmMethods,
  // @ts-expect-error the params of another method
  eth_call: { ...evmMethods.eth_call, params: evmMethods.eth_getCode.params },
}

// Params as a caller writes them.
type Params<M extends keyof EvmSchema> = EvmSchema[M]['params']
const address: Address = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'
export const short: Params<'eth_getStorageAt'> = [address, '0x0']
export const long: Params<'eth_getStorageAt'> = [address, '0x0', { blockHash: '0x12', requireCanonical: true }]
export const decimal: Params<'eth_getBlockReceipts'> = [123]
export const decimalText: Params<'eth_getBlockReceipts'> = ['123']
export const logParams: Params<'eth_subscribe'> = ['logs', { topics: [null, ['0x12']] }]
// @ts-expect-error a decimal number outside of eth_getBlockReceipts
export const decimalElsewhere: Params<'eth_getStorageAt'> = [address, '0x0', 123]
// @ts-expect-error no such tag
export const tag: Params<'eth_getStorageAt'> = [address, '0x0', 'newest']
// @ts-expect-error a block by number and by hash
export const both: Params<'eth_getStorageAt'> = [address, '0x0', { blockHash: '0x12', blockNumber: '0x1' }]
// @ts-expect-error an object where a block is asked for by number
export const object1898: Params<'eth_getUncleByBlockNumberAndIndex'> = [{ blockNumber: '0x1' }, '0x0']
// @ts-expect-error a misspelt member
export const misspelt: Params<'eth_call'> = [{ to: address, gasprice: '0x1' }]
// @ts-expect-error a range beside a block hash
export const range: Params<'eth_getLogs'> = [{ blockHash: '0x12', fromBlock: '0x1' }]
// @ts-expect-error logs without filter
export const noFilter: Params<'eth_subscribe'> = ['logs']

export const overridden: Params<'eth_call'> = [{}, 'latest', { [address]: { balance: '0x1' } }, { time: '0x1' }]
export const simulated: Params<'eth_simulateV1'> = [{ blockStateCalls: [{ calls: [{ to: address }] }] }]
export const traced: Params<'trace_callMany'> = [[[{ to: address }, ['trace', 'stateDiff']]], 'latest']
export const bundled: Params<'debug_traceCallMany'> = [[{ transactions: [{ to: address }] }], { blockNumber: 'latest' }]
// @ts-expect-error no such type of trace
export const traceType: Params<'trace_call'> = [{}, ['callTracer']]
export const percentiles: Params<'eth_feeHistory'> = ['0x5', 'latest', [10, 50.5]]
export const whole: Params<'eth_subscribe'> = ['newPendingTransactions', true]
// @ts-expect-error a decimal count
export const decimalCount: Params<'eth_feeHistory'> = [5, 'latest']
// @ts-expect-error a hash where a range ends
export const hashRange: Params<'eth_feeHistory'> = ['0x5', { blockHash: '0x12' }]
// @ts-expect-error a misspelt override
export const misspeltOverride: Params<'eth_call'> = [{}, 'latest', { [address]: { balanc: '0x1' } }]
// @ts-expect-error overrides that eth_createAccessList does not take
export const tooMany: Params<'eth_createAccessList'> = [{}, 'latest', {}, {}]
export const resumed: Params<'eth_subscribe'> = ['logs', { address, fromHash: '0x12' }]
// @ts-expect-error two places to begin
export const places: Params<'eth_subscribe'> = ['newHeads', { fromBlock: '0x1', fromHash: '0x12' }]
// @ts-expect-error a whole other argument
export const headsFilter: Params<'eth_subscribe'> = ['newHeads', { address }]

// Every method, by name, has an array of params and a result; none is any, never or unknown by mistake.
type IsAny<T> = 0 extends 1 & T ? true : false
type Loose = { [M in keyof EvmSchema]: IsAny<EvmSchema[M]['params']> extends true ? M : never }[keyof EvmSchema]
export const noneLoose: [Loose] extends [never] ? true : Loose = true
type Odd = { [M in keyof EvmSchema]: EvmSchema[M]['params'] extends readonly unknown[] ? never : M }[keyof EvmSchema]
export const noneOdd: [Odd] extends [never] ? true : Odd = true
type Untyped = {
  [M in keyof EvmSchema]: unknown extends EvmSchema[M]['result'] ? M : never
}[keyof EvmSchema]
export const untyped: Untyped[] = ['debug_traceTransaction', 'debug_traceCall']
type Impossible = { [M in keyof EvmSchema]: [EvmSchema[M]['result']] extends [never] ? M : never }[keyof EvmSchema]
export const noneImpossible: [Impossible] extends [never] ? true : Impossible = true

// A caller tells the reasons apart.
export function why(reason: RevertReason): string {
  switch (reason.kind) {
    case 'error':
      return reason.message
    case 'panic':
      return reason.meaning ?? `panic ${reason.code}`
    case 'custom':
      return reason.signature ?? reason.selector
    case 'unknown':
      return reason.data
    case 'empty':
    case 'invalid':
      return reason.kind
  }
}
// @ts-expect-error a mapping needs a key
export const keyless: Hash = mappingSlot(0n)
// @ts-expect-error no such kind of error
export const noSuchKind: NodeErrorKind = 'nonce too low'

// A block's transactions are whole or hashes, by the flag of its caller.
type Fetched<Full extends boolean> = NonNullable<
  EvmSchema<Full>['eth_getBlockByNumber']['result']
>['transactions'][number]
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
export const fetched: readonly true[] = [
  true satisfies Same<Fetched<true>, Transaction>,
  true satisfies Same<Fetched<false>, Hash>,
  true satisfies Same<Fetched<boolean>, Hash | Transaction>,
  true satisfies Same<NonNullable<EvmSchema['eth_getBlockByHash']['result']>, Block>,
]

// Results as a caller reads them.
export function read(
  answer: EvmSchema['rollup_getInfo']['result'],
  receipts: EvmSchema['eth_getBlockReceipts']['result'],
): [RollupInfo | readonly Block[], readonly Log[]] {
  // @ts-expect-error receipts may be null
  const unsafe: readonly Receipt[] = receipts
  const logs = unsafe.flatMap((receipt) => receipt.logs)
  if (isRollupInfo(answer)) return [answer satisfies RollupInfo, logs]
  return [answer satisfies readonly Block[], logs]
}
