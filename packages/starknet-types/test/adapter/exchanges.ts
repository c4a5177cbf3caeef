import fc, { type Arbitrary } from 'fast-check'
import type { StarknetVersion } from '../../src/index.ts'
import {
  block,
  blockId,
  classOf,
  compiledClass,
  emitted,
  fee,
  felt,
  felts,
  index,
  kept,
  list,
  maybe,
  message,
  messageStatus,
  receipt,
  sent,
  since,
  stateUpdate,
  status,
  storageProof,
  thing,
  trace,
} from './things.ts'

type V = StarknetVersion

/** The params of a method, by name in positional order, and its result. */
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

/** A block, from 0.9 on none that is in the making. */
const onFinal = (version: V): Arbitrary<unknown> =>
  since(version, '0.9') ? blockId(version).filter((id) => id !== 'pre_confirmed') : blockId(version)

const onContract = (version: V): Record<string, Arbitrary<unknown>> => ({ ...onBlock(version), contract_address: felt })

/** A method that sends a transaction of a type. */
const sends = (name: string, type: string): Exchange => ({
  params: (version) => ({ [name]: sent(version).filter((transaction) => transaction['type'] === type) }),
  result: () => thing({ transaction_hash: felt }),
})

/** Every method of every version but subscriptions, and `starknet_specVersion`, which no node is asked for. */
export const exchanges: Readonly<Record<string, Exchange>> = {
  starknet_chainId: { params: none, result: () => felt },
  starknet_blockHashAndNumber: { params: none, result: () => thing({ block_hash: felt, block_number: index }) },
  starknet_syncing: {
    params: none,
    result: () =>
      fc.oneof(
        fc.constant(false),
        thing(
          Object.fromEntries(
            ['starting', 'current', 'highest'].flatMap((name) => [
              [`${name}_block_hash`, felt],
              [`${name}_block_num`, index],
            ]),
          ),
        ),
      ),
  },
  starknet_getClass: {
    params: (version) => ({ ...onBlock(version), class_hash: felt }),
    result: () => classOf,
  },
  starknet_getClassAt: { params: onContract, result: () => classOf },
  starknet_getClassHashAt: { params: onContract, result: () => felt },
  starknet_getCompiledCasm: { first: '0.8', params: () => ({ class_hash: felt }), result: () => compiledClass },
  starknet_getStorageProof: {
    first: '0.8',
    params: () => ({
      block_id: fc.oneof(fc.constant('latest'), thing({ block_number: index })),
      class_hashes: felts,
      contract_addresses: felts,
      contracts_storage_keys: maybe(list(thing({ contract_address: felt, storage_keys: felts }))),
    }),
    result: () => storageProof,
  },
  starknet_estimateMessageFee: {
    params: (version) => ({ message, block_id: blockId(version) }),
    result: fee,
  },
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
  starknet_getNonce: { params: onContract, result: () => felt },
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
      block_id: onFinal(version),
      trace_flags: version === '0.10' ? maybe(fc.constant([])) : never,
    }),
    result: (version) => list(thing({ transaction_hash: felt, trace_root: trace(version) })),
  },
  starknet_addInvokeTransaction: sends('invoke_transaction', 'INVOKE'),
  starknet_addDeclareTransaction: {
    ...sends('declare_transaction', 'DECLARE'),
    result: () => thing({ transaction_hash: felt, class_hash: felt }),
  },
  starknet_addDeployAccountTransaction: {
    ...sends('deploy_account_transaction', 'DEPLOY_ACCOUNT'),
    result: () => thing({ transaction_hash: felt, contract_address: felt }),
  },
}
