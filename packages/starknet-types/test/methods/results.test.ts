// Answers of methods that were not recorded, by hand after the documents of each version.
import { describe, expect, test } from 'vitest'
import { starknetMethods, starknetVersions, type StarknetVersion } from '../../src/index.ts'
import { altered } from '../recorded.ts'

const fromVersion = (from: StarknetVersion, until: StarknetVersion = '0.10') =>
  starknetVersions.slice(starknetVersions.indexOf(from), starknetVersions.indexOf(until) + 1)

/** The versions of a method that take `result`. */
function takenBy(method: string, result: unknown): readonly StarknetVersion[] {
  return starknetVersions.filter((version) => {
    const table = starknetMethods[version] as unknown as Record<
      string,
      { result: { check(value: unknown, path: string): unknown } }
    >
    return (
      table[`starknet_${method}`] !== undefined && table[`starknet_${method}`]!.result.check(result, '') === undefined
    )
  })
}

const fri = { price_in_wei: '0x1', price_in_fri: '0x2' }
const common = {
  timestamp: 1,
  sequencer_address: '0x1',
  l1_gas_price: fri,
  starknet_version: '0.13.1',
  transactions: [],
}
const place = { block_hash: '0x1', parent_hash: '0x2', block_number: 7, new_root: '0x3', status: 'ACCEPTED_ON_L2' }
const blobs = { l1_data_gas_price: fri, l1_da_mode: 'BLOB' }
const commitments = {
  event_commitment: '0x1',
  transaction_commitment: '0x1',
  receipt_commitment: '0x1',
  state_diff_commitment: '0x1',
  event_count: 1,
  transaction_count: 1,
  state_diff_length: 1,
}

describe('blocks', () => {
  test.each([
    ['0.6', { ...common, ...place }, fromVersion('0.5.1', '0.6')],
    ['0.7', { ...common, ...place, ...blobs }, fromVersion('0.5.1', '0.7')],
    ['0.8', { ...common, ...place, ...blobs, l2_gas_price: fri }, fromVersion('0.5.1', '0.9')],
    ['0.10', { ...common, ...place, ...blobs, l2_gas_price: fri, ...commitments }, fromVersion('0.5.1')],
    ['pending, 0.8', { ...common, ...blobs, l2_gas_price: fri, parent_hash: '0x1' }, fromVersion('0.5.1', '0.8')],
    [
      'a rejected one, 0.8',
      { ...common, ...place, ...blobs, l2_gas_price: fri, ...commitments, status: 'REJECTED' },
      fromVersion('0.5.1', '0.8'),
    ],
    [
      'a pre-confirmed one that has a hash, 0.9',
      { ...common, ...place, ...blobs, l2_gas_price: fri, ...commitments, status: 'PRE_CONFIRMED' },
      fromVersion('0.9'),
    ],
    ['pre-confirmed, 0.9', { ...common, ...blobs, l2_gas_price: fri, block_number: 7 }, fromVersion('0.9')],
  ] as const)('of %s', (_, block, versions) => {
    expect(takenBy('getBlockWithTxHashes', block)).toEqual(versions)
    expect(takenBy('getBlockWithTxs', block)).toEqual(versions)
    expect(takenBy('getBlockWithReceipts', block)).toEqual(versions.filter((each) => !['0.5.1', '0.6'].includes(each)))
  })
})

describe('transactions of version 3', () => {
  const bound = { max_amount: '0x1', max_price_per_unit: '0x1' }
  const two = { l1_gas: bound, l2_gas: bound }
  const three = { ...two, l1_data_gas: bound }
  const v3 = {
    version: '0x3',
    signature: [],
    nonce: '0x0',
    tip: '0x0',
    paymaster_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  }
  const sender = { sender_address: '0x1', account_deployment_data: [] }
  const deployed = { contract_address_salt: '0x1', constructor_calldata: [], class_hash: '0x1' }

  test.each([
    { type: 'INVOKE', calldata: [], ...sender, ...v3 },
    { type: 'DECLARE', class_hash: '0x1', compiled_class_hash: '0x1', ...sender, ...v3 },
    { type: 'DEPLOY_ACCOUNT', ...deployed, ...v3 },
  ])('$type: from 0.5.1 on, with the bounds of any version there', (transaction) => {
    for (const [resource_bounds, versions] of [
      [two, fromVersion('0.5.1', '0.7')],
      [three, fromVersion('0.5.1')],
    ] as const) {
      const hashed = { ...transaction, resource_bounds, transaction_hash: '0x1' }
      expect(takenBy('getTransactionByHash', hashed)).toEqual(versions)
      expect(takenBy('getTransactionByBlockIdAndIndex', hashed)).toEqual(versions)
      const block = { ...common, ...place, ...blobs, l2_gas_price: fri, ...commitments, transactions: [hashed] }
      expect(takenBy('getBlockWithTxs', block)).toEqual(versions)
    }
    const unreported = { ...transaction, transaction_hash: '0x1' }
    expect(takenBy('getTransactionByHash', unreported)).toEqual([])
    expect(takenBy('getTransactionByHash', { ...unreported, resource_bounds: three, tip: -1 })).toEqual([])
  })
})

const gas = { l1_gas: 1, l1_data_gas: 2, l2_gas: 3 }
const receipt = {
  type: 'INVOKE',
  transaction_hash: '0x1',
  actual_fee: { amount: '0x1', unit: 'FRI' },
  finality_status: 'ACCEPTED_ON_L2',
  execution_status: 'SUCCEEDED',
  messages_sent: [{ from_address: '0x1', to_address: '0x2', payload: ['0x3'] }],
  events: [{ from_address: '0x1', keys: [], data: [] }],
  execution_resources: gas,
  block_hash: '0x1',
  block_number: 7,
}

describe('receipts', () => {
  const computed = { steps: 1, data_availability: { l1_gas: 1, l1_data_gas: 2 } }
  test.each([
    ['of 0.6', { ...receipt, execution_resources: { steps: 1 } }, ['0.6']],
    ['of 0.7', { ...receipt, execution_resources: computed }, ['0.6', '0.7']],
    ['of 0.8', receipt, fromVersion('0.8')],
    ['pre-confirmed', { ...receipt, finality_status: 'PRE_CONFIRMED' }, fromVersion('0.9')],
    ['rejected', { ...receipt, finality_status: 'REJECTED' }, []],
    ['of a deployment', { ...receipt, type: 'DEPLOY_ACCOUNT', contract_address: '0x1' }, fromVersion('0.8')],
    ['of a deployment of nothing', { ...receipt, type: 'DEPLOY_ACCOUNT' }, []],
    ['of a message', { ...receipt, type: 'L1_HANDLER', message_hash: `0x${'f'.repeat(64)}` }, fromVersion('0.8')],
    ['of no kind', { ...receipt, type: 'constructor' }, []],
  ] as const)('%s', (_, result, versions) => {
    expect(takenBy('getTransactionReceipt', result)).toEqual(versions)
  })

  test('every member but the hash of the block, which may have none yet, is missed', () => {
    for (const member of Object.keys(receipt)) {
      const { result } = starknetMethods['0.10'].starknet_getTransactionReceipt
      expect(result.check(altered(receipt, [member], undefined), '') === undefined, member).toBe(
        member === 'block_hash',
      )
    }
  })

  test('name their block by its number since 0.9, but inside of it', () => {
    const { block_hash: _, block_number: __, ...inBlock } = receipt
    expect(takenBy('getTransactionReceipt', inBlock)).toEqual(['0.8'])
    const transaction = { type: 'L1_HANDLER', version: '0x0', nonce: '0x0', contract_address: '0x1' }
    const called = { ...transaction, entry_point_selector: '0x1', calldata: [] }
    const transactions = [{ transaction: called, receipt: inBlock }]
    const block = { ...common, ...place, ...blobs, l2_gas_price: fri, ...commitments, transactions }
    expect(takenBy('getBlockWithReceipts', block)).toEqual(fromVersion('0.8'))
  })
})

const felts = { contract_address: '0x1', key: '0x2', value: '0x3' }
const reads = {
  storage: [felts],
  nonces: [],
  class_hashes: [],
  declared_contracts: [{ class_hash: '0x1', is_declared: true }],
}
const entries = (entry: object) => ({ CONSTRUCTOR: [], EXTERNAL: [entry], L1_HANDLER: [] })
const event = { from_address: '0x1', keys: [], data: [], transaction_hash: '0x1' }
const since = fromVersion

describe('others', () => {
  test.each([
    ['getTransactionStatus', { finality_status: 'REJECTED', failure_reason: 'why' }, since('0.5.1', '0.8')],
    ['getTransactionStatus', { finality_status: 'ACCEPTED_ON_L2', failure_reason: null }, since('0.5.1')],
    ['getTransactionStatus', { finality_status: 'CANDIDATE' }, since('0.9')],
    ['getTransactionStatus', { finality_status: 'ACCEPTED_ON_L1', execution_status: 'REVERTED' }, since('0.5.1')],
    ['getMessagesStatus', [{ transaction_hash: '0x1', finality_status: 'ACCEPTED_ON_L2' }], ['0.8']],
    [
      'getMessagesStatus',
      [{ transaction_hash: '0x1', finality_status: 'ACCEPTED_ON_L2', execution_status: 'REVERTED' }],
      since('0.8'),
    ],
    [
      'getMessagesStatus',
      [{ transaction_hash: '0x1', finality_status: 'ACCEPTED_ON_L2', execution_status: 'odd' }],
      [],
    ],
    ['getMessagesStatus', [{ transaction_hash: '0x1', finality_status: 'RECEIVED' }], ['0.8']],
    ['getEvents', { events: [event], continuation_token: 'more' }, since('0.5.1', '0.9')],
    ['getEvents', { events: [{ ...event, transaction_index: 0, event_index: 0 }] }, since('0.5.1')],
    ['getStorageAt', '0x1', since('0.5.1')],
    ['getStorageAt', { value: '0x1', last_update_block: 7 }, ['0.10']],
    ['traceBlockTransactions', [], since('0.5.1')],
    ['traceBlockTransactions', { traces: [], initial_reads: reads }, ['0.10']],
    // starknet-specs 0.10.1: an empty object, where the traces of a block are not those of the chain.
    ['traceBlockTransactions', { traces: [], initial_reads: {} }, ['0.10']],
    ['simulateTransactions', { simulated_transactions: [], initial_reads: reads }, ['0.10']],
    ['simulateTransactions', { simulated_transactions: [] }, []],
    ['syncing', false, since('0.5.1')],
    ['syncing', true, []],
    ['specVersion', '0.8.1', since('0.5.1')],
    ['blockHashAndNumber', { block_hash: '0x1', block_number: 7 }, since('0.5.1')],
    ['addInvokeTransaction', { transaction_hash: '0x1' }, since('0.5.1')],
    ['addDeclareTransaction', { transaction_hash: '0x1' }, []],
    ['subscribeNewHeads', '0', since('0.8')],
    ['subscribeNewHeads', 7, since('0.8')],
    ['unsubscribe', true, since('0.8')],
    [
      'getStorageProof',
      {
        classes_proof: [{ node_hash: '0x1', node: { left: '0x1', right: '0x2' } }],
        contracts_proof: {
          nodes: [{ node_hash: '0x1', node: { path: '0x1', length: 1, child: '0x1' } }],
          contract_leaves_data: [],
        },
        contracts_storage_proofs: [[]],
        global_roots: { contracts_tree_root: '0x1', classes_tree_root: '0x1', block_hash: '0x1' },
      },
      since('0.8'),
    ],
    [
      'getCompiledCasm',
      {
        entry_points_by_type: entries({ offset: 1, selector: '0x1', builtins: ['range_check'] }),
        bytecode: ['0x1'],
        prime: '0x800000000000011000000000000000000000000000000000000000000000001',
        compiler_version: '2.1.0',
        hints: [[0, [{ TestLessThan: {} }]]],
      },
      since('0.8'),
    ],
  ] as const)('%s: %j', (method, result, versions) => {
    expect(takenBy(method, result)).toEqual(versions)
  })

  test('what a message from L1 did may have been undone, since 0.9', () => {
    const trace = { type: 'L1_HANDLER', function_invocation: { revert_reason: 'why' }, execution_resources: gas }
    expect(takenBy('traceTransaction', trace)).toEqual(['0.9', '0.10'])
    const invoke = { type: 'INVOKE', execute_invocation: { revert_reason: 'why' }, execution_resources: gas }
    expect(takenBy('traceTransaction', invoke)).toEqual(['0.5.1', '0.6', '0.8', '0.9', '0.10'])
  })
})

test('calls may be as deep as a node nests them, and deeper than any stack', () => {
  const call = {
    contract_address: '0x1',
    entry_point_selector: '0x2',
    calldata: [],
    caller_address: '0x0',
    class_hash: '0x3',
    entry_point_type: 'EXTERNAL',
    call_type: 'CALL',
    result: [],
    events: [],
    messages: [],
  }
  const nested = (depth: number, innermost: object): object => {
    let inner: object = { ...call, ...innermost }
    for (let i = 0; i < depth; i++) inner = { ...call, calls: [inner] }
    return { type: 'INVOKE', execute_invocation: inner }
  }
  const { result } = starknetMethods['0.5.1'].starknet_traceTransaction
  for (const depth of [1_000, 100_000]) {
    expect(result.check(nested(depth, { calls: [] }), '')).toBeUndefined()
    expect(result.check(nested(depth, {}), '')).toMatchObject({ received: 'nothing' })
  }
})
