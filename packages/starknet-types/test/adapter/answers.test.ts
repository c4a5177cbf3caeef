import { describe, expect, it } from 'vitest'
import { starknetVersions } from '../../src/index.ts'
import { leavesOf } from './leaves.ts'
import { answerOf, callOf, unknownOf } from './support.ts'

const tx = { transaction_hash: '0x1' }

describe('fee estimates', () => {
  const newFee = {
    l1_gas_consumed: '0x0',
    l1_gas_price: '0x5',
    l2_gas_consumed: '0x10',
    l2_gas_price: '0x3',
    l1_data_gas_consumed: '0x80',
    l1_data_gas_price: '0x2',
    overall_fee: '0x130',
    unit: 'FRI',
  }
  const fee = (
    caller: Parameters<typeof callOf>[0],
    endpoint: Parameters<typeof callOf>[0],
    estimate: object,
  ): unknown => answerOf(caller, endpoint, 'starknet_estimateMessageFee', estimate)
  const unknownIn = (
    caller: Parameters<typeof callOf>[0],
    endpoint: Parameters<typeof callOf>[0],
    estimate: object,
  ): readonly string[] => unknownOf(caller, endpoint, 'starknet_estimateMessageFee', estimate)

  it('of L2 gas give 0.5.1 its three members alone', () => {
    expect(fee('0.5.1', '0.8', newFee)).toEqual({ gas_consumed: '0x10', gas_price: '0x3', overall_fee: '0x130' })
    expect(unknownIn('0.5.1', '0.8', newFee)).toEqual(['gas_consumed', 'gas_price'])
  })

  it.each(['0.6', '0.7'] as const)(
    'of L2 gas say to %s that its gas, which is that of Ethereum, is unknown',
    (caller) => {
      for (const endpoint of ['0.8', '0.9', '0.10'] as const) {
        expect(fee(caller, endpoint, newFee)).toMatchObject({ gas_consumed: '0x10', overall_fee: '0x130' })
        expect(unknownIn(caller, endpoint, newFee)).toEqual(['gas_consumed', 'gas_price'])
        const onL1 = { ...newFee, l1_gas_consumed: '0x6', l2_gas_consumed: '0x0' }
        expect(unknownIn(caller, endpoint, onL1)).toEqual([])
      }
    },
  )

  it('without L2 gas are what 0.7 said of the same', () => {
    const estimate = { ...newFee, l1_gas_consumed: '0x6', l2_gas_consumed: '0x0', overall_fee: '0x11e' }
    expect(fee('0.7', '0.10', estimate)).toEqual({
      gas_consumed: '0x6',
      gas_price: '0x5',
      data_gas_consumed: '0x80',
      data_gas_price: '0x2',
      overall_fee: '0x11e',
      unit: 'FRI',
    })
  })

  it('of 0.5.1 are in wei, and in L1 gas alone where their product is the fee', () => {
    const old = { gas_consumed: '0x10', gas_price: '0x3', overall_fee: '0x30' }
    expect(fee('0.6', '0.5.1', old)).toEqual({ ...old, unit: 'WEI' })
    expect(fee('0.8', '0.5.1', old)).toEqual({
      l1_gas_consumed: '0x10',
      l1_gas_price: '0x3',
      l2_gas_consumed: '0x0',
      l2_gas_price: '0x0',
      l1_data_gas_consumed: '0x0',
      l1_data_gas_price: '0x0',
      overall_fee: '0x30',
      unit: 'WEI',
    })
    expect(unknownIn('0.8', '0.5.1', old)).toEqual(['l2_gas_price', 'l1_data_gas_price'])
    const inFri = { ...old, unit: 'FRI' }
    expect(fee('0.7', '0.6', inFri)).toMatchObject({ data_gas_consumed: '0x0' })
    expect(unknownIn('0.7', '0.6', inFri)).toEqual(['data_gas_price'])
  })

  it('that hide what was paid for are refused to newer callers', () => {
    const hiding = { gas_consumed: '0x10', gas_price: '0x3', overall_fee: '0x31', unit: 'WEI' }
    expect(() => fee('0.7', '0.6', hiding)).toThrow('data gas')
    const withData = { ...hiding, data_gas_consumed: '0x1', data_gas_price: '0x2' }
    expect(() => fee('0.8', '0.7', withData)).toThrow(RangeError)
    expect(fee('0.9', '0.7', { ...withData, overall_fee: '0x32' })).toMatchObject({ l1_data_gas_consumed: '0x1' })
  })

  it('of 0.8 and later pass byte for byte among themselves', () => {
    expect(callOf('0.8', '0.10', 'starknet_estimateMessageFee').answer).toBeUndefined()
  })

  it('leave out a value whose name the caller needs for something else', () => {
    expect(fee('0.7', '0.8', { ...newFee, gas_price: '0x77', data_gas_price: 'odd' })).toMatchObject({
      gas_price: '0x3',
      data_gas_price: '0x2',
    })
    const old = { gas_consumed: '0x10', gas_price: '0x3', overall_fee: '0x30', unit: 'WEI', l2_gas_price: '0x9' }
    expect(fee('0.8', '0.6', old)).toMatchObject({ l2_gas_price: '0x0' })
  })

  it('that lack a member are refused, and what is no estimate passes', () => {
    expect(() => fee('0.5.1', '0.8', { overall_fee: '0x1' })).toThrow('l1_gas_consumed')
    for (const odd of [null, [], 3, 'x']) expect(fee('0.5.1', '0.8', odd as unknown as object)).toBe(odd)
  })
})

describe('receipts', () => {
  const receipt = {
    type: 'INVOKE',
    ...tx,
    actual_fee: { amount: '0x9', unit: 'FRI' },
    finality_status: 'ACCEPTED_ON_L2',
    execution_status: 'SUCCEEDED',
    block_hash: '0x2',
    block_number: 7,
    messages_sent: [],
    events: [],
    execution_resources: { l1_gas: 1, l1_data_gas: 128, l2_gas: 3 },
  }
  const steps = { steps: 4464, memory_holes: 40, pedersen_builtin_applications: 11 }

  it('of 0.8 have no steps for an older caller', () => {
    expect(answerOf('0.7', '0.8', 'starknet_getTransactionReceipt', receipt)).toEqual({
      ...receipt,
      execution_resources: { steps: 0, data_availability: { l1_gas: 0, l1_data_gas: 128 } },
    })
    expect(unknownOf('0.7', '0.8', 'starknet_getTransactionReceipt', receipt)).toEqual([
      'execution_resources.steps',
      'execution_resources.data_availability.l1_gas',
    ])
    expect(answerOf('0.6', '0.8', 'starknet_getTransactionReceipt', receipt)).toEqual({
      ...receipt,
      execution_resources: { steps: 0 },
    })
    expect(unknownOf('0.6', '0.8', 'starknet_getTransactionReceipt', receipt)).toEqual(['execution_resources'])
  })

  it('count in hex for 0.5.1, none of the builtins that were left out', () => {
    const old = answerOf('0.5.1', '0.7', 'starknet_getTransactionReceipt', {
      ...receipt,
      execution_resources: { ...steps, segment_arena_builtin: 2, data_availability: { l1_gas: 0, l1_data_gas: 128 } },
    })
    expect(old).toMatchObject({
      actual_fee: '0x9',
      execution_resources: {
        steps: '0x1170',
        memory_holes: '0x28',
        pedersen_builtin_applications: '0xb',
        keccak_builtin_applications: '0x0',
      },
    })
    const { execution_resources } = old as { execution_resources: object }
    expect(execution_resources).not.toHaveProperty('segment_arena_builtin')
    expect(execution_resources).not.toHaveProperty('data_availability')
  })

  it('of 0.8 that tell their steps all the same pass them on to 0.5.1', () => {
    const both = { ...receipt, execution_resources: { ...receipt.execution_resources, steps: 4464 } }
    expect(answerOf('0.5.1', '0.8', 'starknet_getTransactionReceipt', both)).toMatchObject({
      execution_resources: { steps: '0x1170' },
    })
  })

  it('of 0.5.1 count in numbers for 0.6; what pays in fri from version 3 on has an unknown unit', () => {
    for (const type of ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'L1_HANDLER', 'DEPLOY']) {
      const resources = { steps: '0x1170', memory_holes: '0x28' }
      const old = { ...receipt, type, actual_fee: '0x9', execution_resources: resources }
      const paidInWei = type === 'L1_HANDLER' || type === 'DEPLOY'
      expect(answerOf('0.6', '0.5.1', 'starknet_getTransactionReceipt', old)).toEqual({
        ...receipt,
        type,
        actual_fee: { amount: '0x9', unit: 'WEI' },
        execution_resources: { steps: 4464, memory_holes: 40 },
      })
      const unknown = unknownOf('0.6', '0.5.1', 'starknet_getTransactionReceipt', old)
      expect(unknown).toEqual(paidInWei ? [] : ['actual_fee.unit'])
    }
  })

  it('in the making are accepted on L2, in no block, up to 0.8', () => {
    const { block_hash: _, ...rest } = receipt
    const made = { ...rest, finality_status: 'PRE_CONFIRMED' }
    const { block_number: __, ...pending } = rest
    expect(answerOf('0.8', '0.9', 'starknet_getTransactionReceipt', made)).toEqual(pending)
    expect(() => answerOf('0.9', '0.8', 'starknet_getTransactionReceipt', pending)).toThrow('block_number')
  })

  it('of 0.7 pass to 0.6 without the gas of their data', () => {
    const counted = { ...steps, data_availability: { l1_gas: 0, l1_data_gas: 128 } }
    expect(
      answerOf('0.6', '0.7', 'starknet_getTransactionReceipt', { ...receipt, execution_resources: counted }),
    ).toEqual({ ...receipt, execution_resources: steps })
  })
})

describe('statuses', () => {
  it('get the nearest older word', () => {
    const status = (finality_status: string): unknown =>
      answerOf('0.5.1', '0.9', 'starknet_getTransactionStatus', { finality_status })
    expect(status('PRE_CONFIRMED')).toEqual({ finality_status: 'ACCEPTED_ON_L2' })
    expect(status('CANDIDATE')).toMatchObject({ finality_status: 'RECEIVED' })
    expect(status('ACCEPTED_ON_L1')).toEqual({ finality_status: 'ACCEPTED_ON_L1' })
  })

  it('are refused where 0.9 has no word for them', () => {
    expect(() => answerOf('0.9', '0.8', 'starknet_getTransactionStatus', { finality_status: 'REJECTED' })).toThrow(
      'REJECTED',
    )
  })

  it('of messages need to be whole for 0.9', () => {
    const message = { ...tx, finality_status: 'ACCEPTED_ON_L2' }
    expect(() => answerOf('0.9', '0.8', 'starknet_getMessagesStatus', [message])).toThrow('execution_status')
    const whole = [{ ...message, execution_status: 'SUCCEEDED' }]
    expect(answerOf('0.9', '0.8', 'starknet_getMessagesStatus', whole)).toBe(whole)
    expect(
      answerOf('0.8', '0.9', 'starknet_getMessagesStatus', [{ ...message, finality_status: 'PRE_CONFIRMED' }]),
    ).toMatchObject([{ finality_status: 'ACCEPTED_ON_L2' }])
  })
})

describe('blocks', () => {
  const block = { block_hash: '0x1', l1_gas_price: { price_in_fri: '0x5', price_in_wei: '0x6' }, transactions: [] }

  it('say the price in strk to 0.5.1, and in fri to those after it', () => {
    const old = { ...block, l1_gas_price: { price_in_strk: '0x5', price_in_wei: '0x6' } }
    expect(answerOf('0.5.1', '0.10', 'starknet_getBlockWithTxs', block)).toEqual(old)
    expect(answerOf('0.6', '0.5.1', 'starknet_getBlockWithTxs', old)).toEqual(block)
    const inWei = { ...block, l1_gas_price: { price_in_wei: '0x6' } }
    expect(() => answerOf('0.6', '0.5.1', 'starknet_getBlockWithTxs', inWei)).toThrow('price_in_fri')
    const both = { ...block, l1_gas_price: { price_in_fri: '0x5', price_in_strk: '0x7', price_in_wei: '0x6' } }
    expect(answerOf('0.5.1', '0.10', 'starknet_getBlockWithTxs', both)).toBe(both)
    expect(answerOf('0.6', '0.5.1', 'starknet_getBlockWithTxs', both)).toBe(both)
  })

  it('in the making cannot be said across 0.9', () => {
    const { block_hash: _, ...made } = block
    expect(() => answerOf('0.8', '0.9', 'starknet_getBlockWithTxHashes', made)).toThrow('parent_hash')
    expect(() => answerOf('0.9', '0.8', 'starknet_getBlockWithTxHashes', made)).toThrow('block_number')
    expect(answerOf('0.10', '0.9', 'starknet_getBlockWithTxHashes', made, ['pre_confirmed'])).toBe(made)
  })

  it('that have a hash and are pre-confirmed are pending to callers before 0.9', () => {
    const made = { ...block, status: 'PRE_CONFIRMED' }
    for (const method of ['TxHashes', 'Txs'].map((name) => `starknet_getBlockWith${name}`)) {
      for (const caller of ['0.6', '0.7', '0.8'] as const)
        expect(answerOf(caller, '0.10', method, made)).toEqual({ ...block, status: 'PENDING' })
      expect(answerOf('0.5.1', '0.9', method, made)).toMatchObject({ status: 'PENDING' })
      expect(answerOf('0.9', '0.10', method, made)).toBe(made)
      expect(answerOf('0.9', '0.8', method, { ...block, status: 'PENDING' })).toEqual(made)
      const rejected = { ...block, status: 'REJECTED' }
      expect(() => answerOf('0.9', '0.8', method, rejected)).toThrow('0.9 has no status REJECTED')
      expect(answerOf('0.8', '0.7', method, { ...rejected, starknet_version: '' })).toMatchObject({
        status: 'REJECTED',
      })
    }
  })

  const none = {
    event_commitment: '0x0',
    transaction_commitment: '0x0',
    receipt_commitment: '0x0',
    state_diff_commitment: '0x0',
    state_diff_length: 0,
  }

  const receipt = (hash: string, events: number): object => ({
    transaction: { type: 'INVOKE', version: '0x3', resource_bounds: { l1_data_gas: {} } },
    receipt: { transaction_hash: hash, events: Array.from({ length: events }, () => ({})) },
  })
  const receipts = { ...block, transactions: [receipt('0x1', 2), receipt('0x2', 0), receipt('0x3', 3)] }

  it.each(['0.7', '0.8', '0.9'] as const)(
    'of %s are asked for with their receipts where 0.10 counts events, and have the commitments that its document gives blocks without any',
    (endpoint) => {
      const old = { ...receipts, l2_gas_price: {}, starknet_version: '0.14.0' }
      const { transactions: _, ...header } = old
      const counted = { ...header, ...none, event_count: 5, transaction_count: 3 }
      const asked = callOf('0.10', endpoint, 'starknet_getBlockWithTxHashes', ['latest'])
      expect(asked).toMatchObject({ method: 'starknet_getBlockWithReceipts', params: ['latest'] })
      expect(asked.answer!(old)).toEqual({ ...counted, transactions: ['0x1', '0x2', '0x3'] })
      const { transactions } = answerOf('0.10', endpoint, 'starknet_getBlockWithTxs', old, { block_id: 'latest' }) as {
        transactions: unknown[]
      }
      expect(transactions[1]).toEqual({
        ...(receipt('', 0) as { transaction: object }).transaction,
        transaction_hash: '0x2',
      })
      expect(unknownOf('0.10', endpoint, 'starknet_getBlockWithTxs', old)).toEqual(Object.keys(none))
    },
  )

  it('without all their events are refused to 0.10', () => {
    const odd = { ...receipts, transactions: [...receipts.transactions, { transaction: {}, receipt: tx }] }
    for (const method of ['TxHashes', 'Txs', 'Receipts'])
      expect(() => answerOf('0.10', '0.9', `starknet_getBlockWith${method}`, odd)).toThrow('no event_count,')
    expect(answerOf('0.10', '0.9', 'starknet_getBlockWithReceipts', receipts)).toMatchObject({
      event_count: 5,
      transaction_count: 3,
    })
    // 0.6 has no blocks with receipts.
    expect(callOf('0.10', '0.6', 'starknet_getBlockWithTxHashes').method).toBe('starknet_getBlockWithTxHashes')
  })

  it('keep for 0.10 the commitments that older nodes tell all the same', () => {
    const whole = { ...block, ...none, event_count: 0, transaction_count: 0, event_commitment: '0x7' }
    expect(answerOf('0.10', '0.9', 'starknet_getBlockWithTxHashes', whole)).toEqual(whole)
    const { transactions: _, ...odd } = block
    expect(() => answerOf('0.10', '0.9', 'starknet_getBlockWithTxHashes', odd)).toThrow('no transactions,')
  })

  it.each([
    ['0.7', '0.6', '0.13.1', 'l1_data_gas_price', ['l1_data_gas_price', 'l1_da_mode']],
    ['0.8', '0.7', '0.13.4', 'l2_gas_price', ['l2_gas_price']],
    ['0.9', '0.6', '0.13.1', 'l1_data_gas_price', ['l1_data_gas_price', 'l1_da_mode', 'l2_gas_price']],
  ] as const)(
    'name for %s of %s no price of gas that came with Starknet %s',
    (caller, endpoint, release, name, unknown) => {
      const of = (starknet_version: unknown): unknown =>
        answerOf(caller, endpoint, 'starknet_getBlockWithTxHashes', { ...block, starknet_version })
      const noPrice = { price_in_wei: '0x0', price_in_fri: '0x0' }
      for (const before of ['', '0.9.1', '0.13.0', '0.13.0.3']) {
        expect(of(before)).toMatchObject({ [name]: noPrice })
        const old = { ...block, starknet_version: before }
        expect(unknownOf(caller, endpoint, 'starknet_getBlockWithTxHashes', old)).toEqual(unknown)
      }
      for (const from of [release, `${release}.1`, '0.13.10', '0.14.0', '1.0.0', 'x', 7, undefined]) {
        expect(() => of(from)).toThrow(
          `no ${name}, which ${caller} requires: ask as a caller of ${endpoint}, or a node of`,
        )
      }
    },
  )

  it('with transactions of version 3 name three resources from 0.8 on', () => {
    const bounds = { l1_gas: {}, l2_gas: {} }
    const transaction = { version: '0x3', resource_bounds: bounds }
    expect(() => answerOf('0.8', '0.7', 'starknet_getTransactionByHash', transaction)).toThrow('l1_data_gas')
    const whole = { version: '0x3', resource_bounds: { ...bounds, l1_data_gas: {} } }
    expect(answerOf('0.8', '0.7', 'starknet_getTransactionByHash', whole)).toBe(whole)
  })

  it('give their receipts to those who ask for both', () => {
    const made = { receipt: { ...tx, finality_status: 'PRE_CONFIRMED' }, transaction: {} }
    const adapted = answerOf('0.8', '0.9', 'starknet_getBlockWithReceipts', { ...block, transactions: [made] })
    expect(adapted).toMatchObject({ transactions: [{ receipt: { finality_status: 'ACCEPTED_ON_L2' } }] })
  })
})

describe('events and state updates', () => {
  it('of older nodes do not say where in a block an event stands', () => {
    const events = { events: [{ from_address: '0x1' }], continuation_token: 'x' }
    expect(() => answerOf('0.10', '0.9', 'starknet_getEvents', events)).toThrow('transaction_index')
    const none = { events: [] }
    expect(answerOf('0.10', '0.9', 'starknet_getEvents', none)).toBe(none)
  })

  it('of 0.10 may lack the root that older callers need', () => {
    expect(() => answerOf('0.9', '0.10', 'starknet_getStateUpdate', { state_diff: {} })).toThrow('old_root')
    expect(callOf('0.10', '0.8', 'starknet_getStateUpdate').answer).toBeUndefined()
  })
})

describe('members that came after the version of the caller', () => {
  const gas = { l1_gas: 1, l1_data_gas: 128, l2_gas: 2 }
  const blocks = ['starknet_getBlockWithTxHashes', 'starknet_getBlockWithTxs', 'starknet_getBlockWithReceipts']

  it.each([
    [
      'of a block',
      blocks,
      {
        '0.7': ['l1_data_gas_price', 'l1_da_mode'],
        '0.8': ['l2_gas_price'],
        '0.10': ['event_count', 'state_diff_length'],
      },
    ],
    ['of an event', ['starknet_getEvents'], { '0.10': ['events.0.transaction_index', 'events.0.event_index'] }],
    ['of a state update', ['starknet_getStateUpdate'], { '0.10': ['state_diff.migrated_compiled_classes'] }],
    ['of a status', ['starknet_getTransactionStatus'], { '0.7': ['failure_reason'] }],
    [
      'of a transaction',
      ['starknet_getTransactionByHash', 'starknet_getTransactionByBlockIdAndIndex'],
      { '0.8': ['resource_bounds.l1_data_gas'], '0.10': ['proof_facts'] },
    ],
    ['of a trace', ['starknet_traceTransaction'], { '0.10': ['state_diff.migrated_compiled_classes'] }],
  ] as const)('%s are left out', (_, methods, since) => {
    for (const method of methods)
      for (const [first, paths] of Object.entries(since))
        for (const path of paths) {
          const hasBlock = blocks.includes(method)
          const common = {
            block_hash: '0x1',
            old_root: '0x0',
            transactions: [],
            version: '0x3',
            execution_resources: gas,
          }
          const reported: object = { ...common, ...at(path, '0x7'), kept: 1 }
          for (const caller of starknetVersions.slice(hasBlock ? 1 : 0)) {
            if (method === 'starknet_getBlockWithReceipts' && caller === '0.6') continue
            const answer = answerOf(caller, '0.10', method, reported)
            const isKept = starknetVersions.indexOf(caller) >= starknetVersions.indexOf(first as '0.10')
            expect([method, caller, path, leavesOf(answer).some((leaf) => leaf.path === path)]).toEqual([
              method,
              caller,
              path,
              isKept,
            ])
            expect(answer).toHaveProperty('kept', 1)
          }
        }
  })
})

/** An object with a value at a path: `0` is the first of a list. */
function at(path: string, value: unknown): object {
  return path
    .split('.')
    .reduceRight<unknown>((inner, name) => (name === '0' ? [inner] : { [name]: inner }), value) as object
}

describe('traces', () => {
  const call = { contract_address: '0x1', calls: [], execution_resources: { l1_gas: 1, l2_gas: 2 }, is_reverted: false }
  const trace = {
    type: 'INVOKE',
    execute_invocation: { ...call, calls: [call] },
    execution_resources: { l1_gas: 1, l1_data_gas: 128, l2_gas: 2 },
  }

  it('have no steps of a call where steps are required', () => {
    const { is_reverted: _, ...old } = { ...call, execution_resources: { steps: 0 } }
    expect(answerOf('0.7', '0.9', 'starknet_traceTransaction', trace)).toEqual({
      ...trace,
      execute_invocation: { ...old, calls: [old] },
      execution_resources: { steps: 0, data_availability: { l1_gas: 0, l1_data_gas: 128 } },
    })
    expect(unknownOf('0.7', '0.9', 'starknet_traceTransaction', trace)).toContain('execution_resources')
  })

  it('name no resources to 0.5.1', () => {
    const { is_reverted: _, execution_resources: __, ...old } = call
    expect(answerOf('0.5.1', '0.8', 'starknet_traceTransaction', trace)).toEqual({
      type: 'INVOKE',
      execute_invocation: { ...old, calls: [old] },
    })
  })

  it('of a reverted L1 handler cannot be said up to 0.8', () => {
    const handler = { type: 'L1_HANDLER', function_invocation: { revert_reason: 'why' } }
    expect(() => answerOf('0.8', '0.9', 'starknet_traceTransaction', handler)).toThrow('reverted')
    const reverted = { type: 'INVOKE', execute_invocation: { revert_reason: 'why' } }
    expect(answerOf('0.8', '0.9', 'starknet_traceTransaction', reverted)).toBe(reverted)
  })
})
