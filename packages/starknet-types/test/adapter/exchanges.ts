import fc, { type Arbitrary } from 'fast-check'
import type { StarknetVersion } from '../../src/index.ts'
import {
  block,
  blockId,
  emitted,
  fee,
  felt,
  felts,
  index,
  kept,
  list,
  maybe,
  messageStatus,
  receipt,
  sent,
  since,
  stateUpdate,
  status,
  thing,
  trace,
} from './things.ts'

type V = StarknetVersion

/** What a method takes, by name in positional order, and what it answers. */
export interface Exchange {
  readonly params: (version: V) => Readonly<Record<string, Arbitrary<unknown>>>
  readonly result: (version: V) => Arbitrary<unknown>
  /** Since which version. */
  readonly first?: V
}

const none = (): Record<string, never> => ({})
const onBlock = (version: V): Record<string, Arbitrary<unknown>> => ({ block_id: blockId(version) })
const byHash = (): Record<string, Arbitrary<unknown>> => ({ transaction_hash: felt })
const never = fc.constant(undefined)
const flags = (version: V, ...names: string[]): Arbitrary<unknown> =>
  version === '0.10' ? maybe(fc.subarray(names)) : never

const withHash = (version: V): Arbitrary<unknown> =>
  fc.tuple(kept(version), felt).map(([made, transaction_hash]) => ({ ...made, transaction_hash }))
const tried = (version: V): Arbitrary<unknown[]> => fc.array(sent(version), { minLength: 1, maxLength: 2 })

/** Methods that versions say differently, and one for each way in which all say the same. */
export const exchanges: Readonly<Record<string, Exchange>> = {
  starknet_blockNumber: { params: none, result: () => index },
  starknet_getBlockWithTxHashes: { params: onBlock, result: (version) => block(version, () => felt) },
  starknet_getBlockWithTxs: {
    params: (version) => ({ ...onBlock(version), response_flags: flags(version, 'INCLUDE_PROOF_FACTS') }),
    result: (version) => block(version, () => withHash(version)),
  },
  starknet_getBlockWithReceipts: {
    first: '0.7',
    params: onBlock,
    result: (version) =>
      block(version, (open) =>
        thing({ transaction: kept(version), receipt: receipt(version, open ? 'open' : 'inBlock') }),
      ),
  },
  starknet_getBlockTransactionCount: { params: onBlock, result: () => index },
  starknet_getStateUpdate: {
    params: (version) => ({ ...onBlock(version), contract_addresses: version === '0.10' ? maybe(felts) : never }),
    result: stateUpdate,
  },
  starknet_getStorageAt: {
    params: (version) => ({ contract_address: felt, key: felt, block_id: blockId(version) }),
    result: () => felt,
  },
  starknet_getNonce: {
    params: (version) => ({ block_id: blockId(version), contract_address: felt }),
    result: () => felt,
  },
  starknet_getTransactionStatus: { params: byHash, result: status },
  starknet_getMessagesStatus: {
    first: '0.8',
    params: byHash,
    result: (version) => list(messageStatus(version)),
  },
  starknet_getTransactionByHash: { params: byHash, result: withHash },
  starknet_getTransactionByBlockIdAndIndex: {
    params: (version) => ({ ...onBlock(version), index }),
    result: withHash,
  },
  starknet_getTransactionReceipt: {
    params: byHash,
    result: (version) => fc.oneof(receipt(version, 'closed'), receipt(version, 'open')),
  },
  starknet_getEvents: {
    params: (version) => ({
      filter: thing({
        from_block: maybe(blockId(version)),
        to_block: maybe(blockId(version)),
        address: maybe(version === '0.10' ? fc.oneof(felt, felts) : felt),
        keys: maybe(list(felts)),
        chunk_size: fc.integer({ min: 1, max: 100 }),
      }),
    }),
    result: (version) => thing({ events: list(emitted(version)), continuation_token: maybe(fc.constant('token')) }),
  },
  starknet_call: {
    params: (version) => ({
      request: thing({ contract_address: felt, entry_point_selector: felt, calldata: felts }),
      block_id: blockId(version),
    }),
    result: () => felts,
  },
  starknet_estimateFee: {
    params: (version) => ({
      request: tried(version),
      ...(version !== '0.5.1' && { simulation_flags: fc.subarray(['SKIP_VALIDATE']) }),
      block_id: blockId(version),
    }),
    result: (version) => list(fee(version)),
  },
  starknet_simulateTransactions: {
    params: (version) => ({
      block_id: blockId(version),
      transactions: tried(version),
      simulation_flags: fc.subarray(['SKIP_VALIDATE', 'SKIP_FEE_CHARGE']),
    }),
    result: (version) => list(thing({ transaction_trace: trace(version), fee_estimation: fee(version) })),
  },
  starknet_traceTransaction: { params: byHash, result: trace },
  starknet_traceBlockTransactions: {
    params: (version) => ({
      block_id: since(version, '0.9') ? blockId(version).filter((id) => id !== 'pre_confirmed') : blockId(version),
    }),
    result: (version) => list(thing({ transaction_hash: felt, trace_root: trace(version) })),
  },
  starknet_addInvokeTransaction: {
    params: (version) => ({
      invoke_transaction: sent(version).filter(({ type }) => type === 'INVOKE'),
    }),
    result: () => thing({ transaction_hash: felt }),
  },
}
