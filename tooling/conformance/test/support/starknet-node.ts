import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { replyTo } from '../../src/reply-to.ts'

/** A version of the interface that nodes speak today, as its minor number. */
export type NodeVersion = 8 | 9 | 10

const names: Readonly<Record<NodeVersion, string>> = { 8: '0.8.1', 9: '0.9.0', 10: '0.10.2' }

/** Hash of the one transaction of the chain. */
export const transactionHash = '0x11'

/** Starts a node whose chain has one block with one transaction, and which tells it in the words of its version, without a member beyond them. */
export async function startStarknetNode(version: NodeVersion): Promise<{ readonly url: string } & AsyncDisposable> {
  const table = answersOf(version)
  const server = createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const reply = await replyTo(body, ({ id, method }: { readonly id: number; readonly method: string }) => {
        const answer = Object.hasOwn(table, method)
          ? { result: table[method] }
          : { error: { code: -32601, message: 'Method not found' } }
        return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
      })
      response.setHeader('Content-Type', 'application/json').end(reply)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers of a node by method, in the words of its version. */
export function answersOf(version: NodeVersion): Readonly<Record<string, unknown>> {
  const since = (minor: NodeVersion, members: object): object => (version >= minor ? members : {})
  const price = { price_in_fri: '0x5', price_in_wei: '0x6' }
  const bound = { max_amount: '0x100', max_price_per_unit: '0x5' }
  const header = {
    block_hash: '0xb1',
    parent_hash: '0xb0',
    block_number: 1,
    new_root: '0x77',
    timestamp: 1_760_000_000,
    sequencer_address: '0x1',
    l1_gas_price: price,
    l1_data_gas_price: price,
    l2_gas_price: price,
    l1_da_mode: 'BLOB',
    starknet_version: '0.14.1',
    status: 'ACCEPTED_ON_L2',
    ...since(10, {
      event_commitment: '0x1',
      transaction_commitment: '0x2',
      receipt_commitment: '0x3',
      state_diff_commitment: '0x4',
      event_count: 1,
      transaction_count: 1,
      state_diff_length: 2,
    }),
  }
  const transaction = {
    type: 'INVOKE',
    version: '0x3',
    sender_address: '0x1',
    calldata: ['0x1', '0x2'],
    signature: ['0x3', '0x4'],
    nonce: '0x0',
    resource_bounds: { l1_gas: bound, l2_gas: bound, l1_data_gas: bound },
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  }
  const hashed = { ...transaction, transaction_hash: transactionHash }
  const event = { from_address: '0x1', keys: ['0x5'], data: ['0x6'] }
  const receipt = {
    type: 'INVOKE',
    transaction_hash: transactionHash,
    actual_fee: { amount: '0x9', unit: 'FRI' },
    execution_status: 'SUCCEEDED',
    finality_status: 'ACCEPTED_ON_L2',
    messages_sent: [],
    events: [event],
    execution_resources: { l1_gas: 0, l1_data_gas: 128, l2_gas: 3 },
  }
  const stateDiff = {
    storage_diffs: [{ address: '0x1', storage_entries: [{ key: '0x2', value: '0x3' }] }],
    deprecated_declared_classes: [],
    declared_classes: [],
    deployed_contracts: [],
    replaced_classes: [],
    nonces: [{ contract_address: '0x1', nonce: '0x1' }],
    ...since(10, { migrated_compiled_classes: [] }),
  }
  const call = {
    contract_address: '0x1',
    entry_point_selector: '0x2',
    calldata: ['0x3'],
    caller_address: '0x0',
    class_hash: '0x4',
    entry_point_type: 'EXTERNAL',
    call_type: 'CALL',
    result: ['0x1'],
    calls: [],
    events: [{ order: 0, keys: ['0x5'], data: ['0x6'] }],
    messages: [],
    execution_resources: { l1_gas: 0, l2_gas: 3 },
    is_reverted: false,
  }
  const trace = {
    type: 'INVOKE',
    validate_invocation: call,
    execute_invocation: { ...call, calls: [call] },
    fee_transfer_invocation: call,
    state_diff: stateDiff,
    execution_resources: { l1_gas: 0, l1_data_gas: 128, l2_gas: 3 },
  }
  const fee = {
    l1_gas_consumed: '0x0',
    l1_gas_price: '0x6',
    l2_gas_consumed: '0x3',
    l2_gas_price: '0x2',
    l1_data_gas_consumed: '0x80',
    l1_data_gas_price: '0x2',
    overall_fee: '0x106',
    unit: 'WEI',
  }
  return {
    starknet_specVersion: names[version],
    starknet_chainId: '0x534e5f4d41494e',
    starknet_blockNumber: 1,
    starknet_blockHashAndNumber: { block_hash: '0xb1', block_number: 1 },
    starknet_getBlockTransactionCount: 1,
    starknet_getBlockWithTxHashes: { ...header, transactions: [transactionHash] },
    starknet_getBlockWithTxs: { ...header, transactions: [hashed] },
    starknet_getBlockWithReceipts: { ...header, transactions: [{ transaction, receipt }] },
    starknet_getStateUpdate: { block_hash: '0xb1', old_root: '0x66', new_root: '0x77', state_diff: stateDiff },
    starknet_getTransactionByHash: hashed,
    starknet_getTransactionByBlockIdAndIndex: hashed,
    starknet_getTransactionReceipt: { ...receipt, block_hash: '0xb1', block_number: 1 },
    starknet_getTransactionStatus: { finality_status: 'ACCEPTED_ON_L2', execution_status: 'SUCCEEDED' },
    starknet_getEvents: {
      events: [
        {
          ...event,
          block_hash: '0xb1',
          block_number: 1,
          transaction_hash: transactionHash,
          ...since(10, { transaction_index: 0, event_index: 0 }),
        },
      ],
    },
    starknet_traceTransaction: trace,
    starknet_traceBlockTransactions: [{ transaction_hash: transactionHash, trace_root: trace }],
    starknet_estimateMessageFee: fee,
    starknet_getNonce: '0x1',
    starknet_getStorageAt: '0x3',
    starknet_call: ['0x1'],
  }
}
