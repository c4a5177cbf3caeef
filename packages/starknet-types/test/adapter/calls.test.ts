import { describe, expect, it, test } from 'vitest'
import { adaptCalls } from '../../src/adapter/index.ts'
import { starknetVersions } from '../../src/index.ts'
import { callOf, pairs, refusalOf } from './support.ts'

const invokeV1 = { type: 'INVOKE', version: '0x1', max_fee: '0x1', signature: [], nonce: '0x0', sender_address: '0x1' }
const gas = { max_amount: '0x1', max_price_per_unit: '0x1' }
const invokeV3 = { type: 'INVOKE', version: '0x3', resource_bounds: { l1_gas: gas, l2_gas: gas } }
const invokeV3Data = { ...invokeV3, resource_bounds: { ...invokeV3.resource_bounds, l1_data_gas: gas } }

describe('params', () => {
  it('gain the simulation flags that 0.5.1 does not have, in their place', () => {
    const up = (params: unknown): unknown => callOf('0.5.1', '0.6', 'starknet_estimateFee', params).params
    expect(up([[invokeV1], 'latest'])).toEqual([[invokeV1], [], 'latest'])
    expect(up({ request: [invokeV1], block_id: 'latest' })).toEqual({
      request: [invokeV1],
      simulation_flags: [],
      block_id: 'latest',
    })
  })

  it('lose simulation flags that are empty, for 0.5.1', () => {
    const down = (params: unknown): unknown => callOf('0.8', '0.5.1', 'starknet_estimateFee', params).params
    expect(down([[invokeV1], [], 'latest'])).toEqual([[invokeV1], 'latest'])
    expect(down({ request: [invokeV1], simulation_flags: [], block_id: 'latest' })).toEqual({
      request: [invokeV1],
      block_id: 'latest',
    })
  })

  it('of a later version pass as they are, from a caller of 0.5.1, too', () => {
    const params = [[invokeV1], ['SKIP_VALIDATE'], 'latest']
    expect(callOf('0.5.1', '0.7', 'starknet_estimateFee', params).params).toBe(params)
  })

  it('with flags for an estimate, beside a transaction of 0.8, are of no caller of 0.5.1, whose answer has no bounds', () => {
    const params = { request: [invokeV3Data], block_id: 'latest', simulation_flags: ['SKIP_VALIDATE'] }
    for (const endpoint of ['0.8', '0.9', '0.10'] as const) {
      const reason = 'simulation_flags of starknet_estimateFee is in 0.6 and later, and the caller speaks 0.5.1'
      expect(refusalOf('0.5.1', endpoint, 'starknet_estimateFee', params)).toMatchObject({
        code: -32602,
        data: { reason },
      })
      for (const simulation_flags of [[], null, undefined])
        expect(callOf('0.5.1', endpoint, 'starknet_estimateFee', { ...params, simulation_flags })).toBeDefined()
      expect(callOf('0.6', endpoint, 'starknet_estimateFee', params).params).toBe(params)
    }
  })

  it('are the same value where nothing changes', () => {
    for (const [caller, endpoint] of pairs) {
      for (const params of [['latest'], { block_id: { block_number: 3 } }, null, [], 'nonsense', { later: 1 }])
        expect(callOf(caller, endpoint, 'starknet_getBlockTransactionCount', params).params).toBe(params)
    }
  })

  it('with flags that the node cannot obey are refused', () => {
    const refusal = refusalOf('0.6', '0.5.1', 'starknet_estimateFee', [[invokeV1], ['SKIP_VALIDATE'], 'latest'])
    expect(refusal).toEqual({
      code: -32602,
      message:
        'between a caller of Starknet RPC 0.6 and a node of 0.5.1: ' +
        'simulation_flags of starknet_estimateFee is in 0.6 and later, and the node speaks 0.5.1',
      data: {
        caller: '0.6',
        endpoint: '0.5.1',
        reason: 'simulation_flags of starknet_estimateFee is in 0.6 and later, and the node speaks 0.5.1',
      },
    })
  })

  it.each([
    ['starknet_getBlockWithTxs', ['latest', ['INCLUDE_PROOF_FACTS']], ['latest', []]],
    ['starknet_getStateUpdate', { block_id: 'latest', contract_addresses: ['0x1'] }, { contract_addresses: [] }],
    ['starknet_simulateTransactions', ['latest', [], ['RETURN_INITIAL_READS']], ['latest', [], []]],
    ['starknet_traceBlockTransactions', ['latest', ['RETURN_INITIAL_READS']], ['latest', []]],
    ['starknet_getEvents', [{ chunk_size: 1, address: ['0x1', '0x2'] }], [{ chunk_size: 1, address: [] }]],
  ])('%s: what is new in 0.10 is refused by 0.9, and left out where it is empty', (method, full, empty) => {
    expect(refusalOf('0.10', '0.9', method, full)).toMatchObject({
      code: -32602,
      data: { caller: '0.10', endpoint: '0.9' },
    })
    expect(JSON.stringify(callOf('0.10', '0.9', method, empty).params)).not.toMatch(/flags|address/)
  })

  it('name one address of events where 0.10 would take many', () => {
    const { params } = callOf('0.10', '0.8', 'starknet_getEvents', [{ chunk_size: 1, address: ['0x1'] }])
    expect(params).toEqual([{ chunk_size: 1, address: '0x1' }])
  })

  it.each([
    ['starknet_getTransactionByHash', ['0x1'], { transaction_hash: '0x1' }],
    [
      'starknet_getStorageAt',
      ['0x1', '0x2', 'pending'],
      { contract_address: '0x1', key: '0x2', block_id: 'pre_confirmed' },
    ],
    ['starknet_estimateFee', [[invokeV3Data]], { request: [invokeV3Data], simulation_flags: [] }],
  ])('%s: go by name where the list of the node is longer', (method, params, named) => {
    expect(callOf('0.5.1', '0.10', method, params).params).toEqual(named)
  })

  it('that are too many are refused', () => {
    expect(refusalOf('0.5.1', '0.8', 'starknet_getNonce', ['latest', '0x1', '0x2']).code).toBe(-32602)
  })
})

describe('block tags', () => {
  const tagOf = (caller: Parameters<typeof callOf>[0], endpoint: Parameters<typeof callOf>[0], tag: string): unknown =>
    callOf(caller, endpoint, 'starknet_getNonce', { block_id: tag, contract_address: '0x1' }).params

  it('name the block in the making as each version does', () => {
    expect(tagOf('0.5.1', '0.9', 'pending')).toMatchObject({ block_id: 'pre_confirmed' })
    expect(tagOf('0.10', '0.7', 'pre_confirmed')).toMatchObject({ block_id: 'pending' })
    expect(callOf('0.8', '0.10', 'starknet_getEvents', [{ from_block: 'latest', to_block: 'pending' }]).params).toEqual(
      [{ from_block: 'latest', to_block: 'pre_confirmed' }],
    )
  })

  it('that a version does not have are refused', () => {
    expect(refusalOf('0.9', '0.8', 'starknet_getBlockWithTxs', ['l1_accepted']).message).toContain(
      'the block tag l1_accepted cannot be said in starknet_getBlockWithTxs of 0.8',
    )
    for (const [caller, tag] of [
      ['0.5.1', 'l1_accepted'],
      ['0.8', 'pre_confirmed'],
      ['0.9', 'pending'],
    ] as const) {
      const refusal = refusalOf(caller, '0.7', 'starknet_getBlockWithTxHashes', [tag])
      expect(refusal).toMatchObject({
        code: -32602,
        data: { reason: expect.stringMatching(`^a block tag of ${caller} is .+, and "${tag}" is none$`) },
      })
    }
  })

  it('cannot be the block in the making where 0.9 takes none', () => {
    expect(refusalOf('0.8', '0.9', 'starknet_traceBlockTransactions', ['pending']).code).toBe(-32602)
  })

  it.each(['safe', 'l1_accepted', 'constructor', ''])('that nobody knows, such as "%s", are refused by name', (tag) => {
    for (const endpoint of starknetVersions.slice(1)) {
      const reason = `a block tag of 0.5.1 is latest or pending, and "${tag}" is none`
      const block_id = { block_id: tag, contract_address: '0x1' }
      expect(refusalOf('0.5.1', endpoint, 'starknet_getNonce', block_id)).toMatchObject({
        code: -32602,
        data: { reason },
      })
      const filter = [{ from_block: tag, chunk_size: 1 }]
      expect(refusalOf('0.5.1', endpoint, 'starknet_getEvents', filter)).toMatchObject({
        code: -32602,
        data: { reason },
      })
    }
    expect(refusalOf('0.10', '0.8', 'starknet_getNonce', ['safe', '0x1']).message).toContain(
      'a block tag of 0.10 is latest, pre_confirmed or l1_accepted, and "safe" is none',
    )
  })

  it('that are long are named by their beginning', () => {
    const { message } = refusalOf('0.5.1', '0.9', 'starknet_getNonce', ['x'.repeat(10_000), '0x1'])
    expect(message.length).toBeLessThan(300)
  })
})

describe('transactions', () => {
  const sent = (transaction: object): object => ({ invoke_transaction: transaction })

  it.each([
    ['0.5.1', '0.8', invokeV1, 61],
    ['0.5.1', '0.8', { ...invokeV1, version: '0x100000000000000000000000000000001' }, 61],
    ['0.8', '0.5.1', invokeV3Data, 61],
    ['0.6', '0.8', invokeV3, -32602],
    ['0.6', '0.8', { ...invokeV3, version: '0x100000000000000000000000000000003' }, -32602],
    ['0.8', '0.7', invokeV3Data, -32602],
    ['0.10', '0.9', { ...invokeV3Data, proof_facts: [] }, -32602],
  ] as const)('of %s for %s that would have to be signed anew are refused', (caller, endpoint, transaction, code) => {
    const refusal = refusalOf(caller, endpoint, 'starknet_addInvokeTransaction', sent(transaction))
    expect(refusal).toMatchObject({ code, data: { caller, endpoint } })
    const tried = refusalOf(caller, endpoint, 'starknet_simulateTransactions', ['latest', [transaction], []])
    expect(tried.code).toBe(-32602)
  })

  it.each([
    ['0.5.1', '0.7', invokeV1],
    ['0.5.1', '0.10', invokeV3Data],
    ['0.7', '0.6', invokeV3],
    ['0.10', '0.8', invokeV3Data],
  ] as const)('of %s for %s pass where both say them alike', (caller, endpoint, transaction) => {
    const params = [transaction]
    const call = callOf(caller, endpoint, 'starknet_addInvokeTransaction', params)
    expect(call.params).toBe(params)
    expect(call.answer).toBeUndefined()
  })
})

describe('methods', () => {
  it.each([
    ['starknet_getStorageProof', '0.8', '0.7', '0.8 and later, and the node speaks 0.7'],
    ['starknet_getBlockWithReceipts', '0.6', '0.7', '0.7 and later, and the caller speaks 0.6'],
  ] as const)('%s is refused where one side does not have it', (method, caller, endpoint, reason) => {
    const refusal = refusalOf(caller, endpoint, method)
    expect(refusal.code).toBe(-32601)
    expect(refusal.message).toContain(reason)
  })

  it.each([
    ['starknet_traceTransaction', '0.8', '0.7', 'the gas of each call'],
    ['starknet_traceTransaction', '0.7', '0.6', 'execution_resources'],
    ['starknet_simulateTransactions', '0.6', '0.5.1', 'execution_resources'],
  ] as const)(
    '%s is refused before it is asked where no answer can do: %s of %s',
    (method, caller, endpoint, lacks) => {
      expect(refusalOf(caller, endpoint, method)).toMatchObject({ code: -32603 })
      const { message } = refusalOf(caller, endpoint, method)
      expect(message).toContain(lacks)
      expect(message).toMatch(new RegExp(`: ask as a caller of ${endpoint}, or a node of ${caller}$`))
    },
  )

  it('subscribe only between equal versions', () => {
    expect(refusalOf('0.8', '0.9', 'starknet_subscribeNewHeads').code).toBe(-32601)
  })

  test('starknet_specVersion answers the version of the caller, unasked', () => {
    const answered = starknetVersions.map((caller) =>
      adaptCalls({ caller, endpoint: caller === '0.10' ? '0.9' : '0.10' })('starknet_specVersion', []),
    )
    const versions = ['0.5.1', '0.6.0', '0.7.1', '0.8.1', '0.9.0', '0.10.0']
    expect(answered).toEqual(versions.map((answer) => ({ answer })))
  })

  it('that no version defines pass', () => {
    const params = ['pending']
    for (const method of ['pathfinder_getProof', 'eth_chainId', 'constructor', '__proto__'])
      expect(callOf('0.5.1', '0.10', method, params)).toEqual({ method, params, answer: undefined, error: undefined })
  })

  it('all pass as they are between equal versions', () => {
    const params = ['pre_confirmed', 1, 2]
    for (const version of starknetVersions)
      expect(callOf(version, version, 'starknet_getStorageProof', params).params).toBe(params)
  })
})
