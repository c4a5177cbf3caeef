import { createRpcClient, type RpcError, type RpcErrorObject, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { MethodTable, RpcSchema } from '@wayleave/jsonrpc-core/schema'
import type * as TypesJs from '@starknet-io/types-js'
import { expectTypeOf } from 'vitest'
import {
  type BlockHeader,
  type BroadcastDeployAccount,
  type BroadcastInvoke,
  type BroadcastTransaction,
  type ContractExecutionError,
  type EmittedEvent,
  type FeeEstimate,
  type Felt,
  type FunctionInvocation,
  type Hex,
  type InitialReads,
  type InvokeV1,
  isStarknetError,
  type L1Handler,
  type OpenBlockHeader,
  type Receipt,
  starknetMethods,
  type StarknetMethods,
  type StateDiff,
  type SyncStatus,
  type Transaction,
  type StarknetMethodTable,
  type StarknetSchema,
  type StarknetVersion,
} from '../src/index.ts'
import type * as blocks from '../src/methods/blocks.ts'
import type * as execution from '../src/methods/execution.ts'
import type * as sending from '../src/methods/sending.ts'
import type * as state from '../src/methods/state.ts'
import type * as subscriptions from '../src/methods/subscriptions.ts'
import type * as traces from '../src/methods/traces.ts'
import type * as transactions from '../src/methods/transactions.ts'
import type * as v0_8 from '../src/versions/v0-8.ts'

// Samples of the interface specification, sections 2.7, 2.8 and 4.9.
interface Estimate {
  readonly gas_consumed: Hex
  readonly gas_price: Hex
  readonly overall_fee: Hex
}
type Block = 'latest' | 'pending' | { readonly block_hash: Felt } | { readonly block_number: number }
type Seed = StarknetSchema<'0.5.1'>
type Named<P> = Exclude<P, readonly unknown[]>

expectTypeOf<Seed['starknet_estimateFee']['result']>().toEqualTypeOf<readonly Estimate[]>()
expectTypeOf<keyof Named<Seed['starknet_estimateFee']['params']>>().toEqualTypeOf<'request' | 'block_id'>()
expectTypeOf<Named<Seed['starknet_estimateFee']['params']>['block_id']>().toExtend<Block>()
expectTypeOf<Block>().toExtend<Named<Seed['starknet_estimateFee']['params']>['block_id']>()
expectTypeOf<
  Extract<
    BroadcastTransaction<'0.5.1'>,
    { readonly type: 'INVOKE'; readonly max_fee: unknown; readonly nonce: unknown }
  >
>().toEqualTypeOf<InvokeV1>()
expectTypeOf<
  keyof Extract<
    BroadcastTransaction<'0.5.1'>,
    { readonly type: 'INVOKE'; readonly max_fee: unknown; readonly nonce: unknown }
  >
>().toEqualTypeOf<'type' | 'max_fee' | 'version' | 'signature' | 'sender_address' | 'calldata' | 'nonce'>()
expectTypeOf<keyof Seed['starknet_simulateTransactions']['result'][number]>().toEqualTypeOf<
  'fee_estimation' | 'transaction_trace'
>()
expectTypeOf<Named<Seed['starknet_simulateTransactions']['params']>['simulation_flags'][number]>().toEqualTypeOf<
  'SKIP_VALIDATE' | 'SKIP_FEE_CHARGE'
>()

// Order by position.
expectTypeOf<Extract<Seed['starknet_estimateFee']['params'], readonly unknown[]>['length']>().toEqualTypeOf<2>()
expectTypeOf<Extract<StarknetSchema<'0.6'>['starknet_estimateFee']['params'], readonly unknown[]>[1]>().toEqualTypeOf<
  readonly 'SKIP_VALIDATE'[]
>()

// A version that takes a method from the one before it takes its own type of it.
interface Methods<V extends StarknetVersion> {
  readonly starknet_getBlockWithTxHashes: blocks.GetBlockWithTxHashes<V>
  readonly starknet_getBlockWithTxs: blocks.GetBlockWithTxs<V>
  readonly starknet_getBlockWithReceipts: blocks.GetBlockWithReceipts<V>
  readonly starknet_getBlockTransactionCount: blocks.GetBlockTransactionCount<V>
  readonly starknet_getStateUpdate: blocks.GetStateUpdate<V>
  readonly starknet_getStorageAt: state.GetStorageAt<V>
  readonly starknet_getNonce: state.GetNonce<V>
  readonly starknet_getClassHashAt: state.GetClassHashAt<V>
  readonly starknet_getClassAt: state.GetClassAt<V>
  readonly starknet_getClass: state.GetClass<V>
  readonly starknet_getStorageProof: state.GetStorageProof<V>
  readonly starknet_getTransactionByHash: transactions.GetTransactionByHash<V>
  readonly starknet_getTransactionByBlockIdAndIndex: transactions.GetTransactionByIndex<V>
  readonly starknet_getTransactionReceipt: transactions.GetTransactionReceipt<V>
  readonly starknet_getTransactionStatus: transactions.GetTransactionStatus<V>
  readonly starknet_getMessagesStatus: transactions.GetMessagesStatus<V>
  readonly starknet_getEvents: transactions.GetEvents<V>
  readonly starknet_call: execution.Call<V>
  readonly starknet_estimateFee: execution.EstimateFee<V>
  readonly starknet_estimateMessageFee: execution.EstimateMessageFee<V>
  readonly starknet_simulateTransactions: traces.SimulateTransactions<V>
  readonly starknet_traceTransaction: traces.TraceTransaction<V>
  readonly starknet_traceBlockTransactions: traces.TraceBlock<V>
  readonly starknet_addInvokeTransaction: sending.AddInvoke<V>
  readonly starknet_addDeclareTransaction: sending.AddDeclare<V>
  readonly starknet_addDeployAccountTransaction: sending.AddDeployAccount<V>
  readonly starknet_subscribeEvents: subscriptions.SubscribeEvents<V>
  readonly starknet_subscribeNewTransactions: subscriptions.SubscribeTransactions<V>
}
type Both<V extends StarknetVersion> = keyof Methods<V> & keyof StarknetMethods[V]
type Stale<V extends StarknetVersion> = {
  [M in Both<V>]: [StarknetMethods[V][M], Methods<V>[M]] extends [Methods<V>[M], StarknetMethods[V][M]] ? never : M
}[Both<V>]
expectTypeOf<{ [V in StarknetVersion]: Stale<V> }[StarknetVersion]>().toBeNever()

// A schema for a client, and a table for it.
expectTypeOf<StarknetSchema<'0.10'>>().toExtend<RpcSchema<StarknetSchema<'0.10'>>>()
expectTypeOf<typeof v0_8>().toExtend<StarknetMethodTable<StarknetSchema<'0.8'>>>()
expectTypeOf<typeof v0_8>().toExtend<MethodTable<StarknetSchema<'0.8'>>>()
expectTypeOf(starknetMethods['0.8'].starknet_estimateFee.params).toEqualTypeOf<
  MethodTable<StarknetSchema<'0.8'>>['starknet_estimateFee']['params']
>()

declare const handler: RpcHandler
const client = createRpcClient<StarknetSchema<'0.8'>>(handler)
export const calls = async (): Promise<void> => {
  expectTypeOf(await client.request('starknet_blockNumber', [])).toEqualTypeOf<number>()
  expectTypeOf(await client.request('starknet_getNonce', ['latest', '0x1'])).toEqualTypeOf<Felt>()
  await client.request('starknet_getNonce', { block_id: { block_number: 7 }, contract_address: '0x1' })
  // @ts-expect-error unknown method
  await client.request('starknet_getBalance', [])
  // @ts-expect-error of a later version
  await client.request('starknet_subscribeNewTransactions', [])
  // @ts-expect-error a tag of a later version
  await client.request('starknet_getNonce', ['pre_confirmed', '0x1'])
  // @ts-expect-error the wrong order
  await client.request('starknet_getNonce', ['0x1', 'latest'])
  // @ts-expect-error no block
  await client.request('starknet_getNonce', { contract_address: '0x1' })
  // @ts-expect-error one block in two ways
  await client.request('starknet_getBlockTransactionCount', [{ block_number: 1, block_hash: '0x1' }])

  const { transactions } = await client.request('starknet_getBlockWithTxs', ['latest'])
  for (const transaction of transactions) {
    if (transaction.type === 'INVOKE' && transaction.version === '0x3') {
      expectTypeOf(transaction.resource_bounds.l1_data_gas.max_amount).toEqualTypeOf<Hex>()
    }
  }
}

// Errors narrow their data.
declare const error: RpcErrorObject
declare const thrown: RpcError
if (isStarknetError(error, 41, '0.6')) expectTypeOf(error.data.execution_error).toEqualTypeOf<string>()
if (isStarknetError(error, 41, '0.8')) expectTypeOf(error.data.execution_error).toEqualTypeOf<ContractExecutionError>()
if (isStarknetError(thrown, 55, '0.8')) expectTypeOf(thrown.rpc.data).toEqualTypeOf<string>()
// @ts-expect-error no such code
isStarknetError(error, 99)

// The types of @starknet-io/types-js for 0.10: our values are its values, but for lists, which we do not change.
type Mutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { -readonly [K in keyof T]: Mutable<T[K]> }
type Ours = StarknetSchema<'0.10'>
type Result<M extends keyof Ours> = Mutable<Ours[M]['result']>
type Given<M extends keyof Ours> = Mutable<Named<Ours[M]['params']>>
type Theirs = TypesJs.Methods & TypesJs.WebSocketMethods

expectTypeOf<keyof Theirs>().toEqualTypeOf<keyof Ours>()

// They have no params by name for methods without params, one flag alone for an estimate, and an ABI in every class.
expectTypeOf<{ [M in keyof Ours]: Given<M> extends Theirs[M]['params'] ? never : M }[keyof Ours]>().toEqualTypeOf<
  | `starknet_${'specVersion' | 'chainId' | 'blockNumber' | 'blockHashAndNumber' | 'syncing'}`
  | `starknet_${'estimateFee' | 'simulateTransactions' | 'addDeclareTransaction'}`
  // Ids of subscriptions were numbers once.
  | 'starknet_unsubscribe'
>()

expectTypeOf<Mutable<StateDiff>>().toExtend<TypesJs.STATE_DIFF>()
expectTypeOf<Mutable<BlockHeader<'0.10'>>>().toExtend<TypesJs.BLOCK_HEADER>()
expectTypeOf<Mutable<OpenBlockHeader<'0.10'>>>().toExtend<TypesJs.PRE_CONFIRMED_BLOCK_HEADER>()
expectTypeOf<Mutable<BroadcastInvoke<'0.10'>>>().toExtend<TypesJs.BROADCASTED_INVOKE_TXN>()
expectTypeOf<Mutable<BroadcastDeployAccount<'0.10'>>>().toExtend<TypesJs.BROADCASTED_DEPLOY_ACCOUNT_TXN>()
expectTypeOf<Mutable<Exclude<Transaction<'0.10'>, L1Handler>>>().toExtend<TypesJs.TXN>()
// Without the lists whose elements have an order, which the documents let be absent.
expectTypeOf<Mutable<Omit<FunctionInvocation<'0.10'>, 'calls' | 'events' | 'messages'>>>().toExtend<
  Omit<TypesJs.FUNCTION_INVOCATION, 'calls' | 'events' | 'messages'>
>()
expectTypeOf<Mutable<FeeEstimate<'0.10'>> & { unit: 'FRI' }>().toExtend<TypesJs.FEE_ESTIMATE>()
expectTypeOf<Mutable<EmittedEvent<'0.10'>>>().toExtend<TypesJs.EMITTED_EVENT>()
expectTypeOf<Mutable<Required<InitialReads>>>().toExtend<TypesJs.INITIAL_READS>()
expectTypeOf<Mutable<SyncStatus>>().toExtend<TypesJs.SYNC_STATUS>()
// Without the reason of a failure: a node says null where there was none.
expectTypeOf<Omit<Result<'starknet_getTransactionStatus'>, 'failure_reason'>>().toExtend<
  Omit<TypesJs.TXN_STATUS_RESULT, 'failure_reason'>
>()
expectTypeOf<Result<'starknet_getStorageAt'>>().toExtend<Theirs['starknet_getStorageAt']['result']>()
expectTypeOf<Mutable<Extract<Receipt<'0.10'>, { readonly type: 'L1_HANDLER' }>>>().toExtend<
  Pick<
    TypesJs.L1_HANDLER_TXN_RECEIPT,
    'message_hash' | 'actual_fee' | 'events' | 'messages_sent' | 'execution_resources'
  >
>()
expectTypeOf<Omit<Result<'starknet_getTransactionReceipt'>, 'block_hash'>>().toExtend<{ block_number: number }>()
expectTypeOf<Receipt<'0.10'>['block_number']>().toEqualTypeOf<number | undefined>()
expectTypeOf<Result<'starknet_getMessagesStatus'>[number]>().toExtend<
  Pick<
    Theirs['starknet_getMessagesStatus']['result'][number],
    'transaction_hash' | 'finality_status' | 'execution_status'
  >
>()
