import { assertValid } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import { positionalParams, starknetMethods, starknetVersions } from '../../src/index.ts'

const invoke = {
  type: 'INVOKE',
  version: '0x1',
  sender_address: '0x1',
  calldata: ['0x2'],
  max_fee: '0x0',
  signature: [],
  nonce: '0x0',
}
const invokeV3 = {
  type: 'INVOKE',
  version: '0x3',
  sender_address: '0x1',
  calldata: [],
  signature: [],
  nonce: '0x0',
  tip: '0x0',
  paymaster_data: [],
  account_deployment_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
  resource_bounds: {
    l1_gas: { max_amount: '0x1', max_price_per_unit: '0x1' },
    l2_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
  },
}
const withDataGas = {
  ...invokeV3,
  resource_bounds: { ...invokeV3.resource_bounds, l1_data_gas: { max_amount: '0x1', max_price_per_unit: '0x1' } },
}
const query = (transaction: object, version: number) => ({
  ...transaction,
  version: `0x10000000000000000000000000000000${version}`,
})

describe('params come by name or by position', () => {
  const { params } = starknetMethods['0.8'].starknet_estimateFee
  const byName = { request: [withDataGas], simulation_flags: [], block_id: 'latest' }

  test('both pass', () => {
    expect(params.check(byName, '')).toBeUndefined()
    expect(params.check([[withDataGas], [], 'latest'], '')).toBeUndefined()
  })

  test('by name, what is not known passes; by position, there is no place for it', () => {
    expect(params.check({ ...byName, later: true }, '')).toBeUndefined()
    expect(params.check([[withDataGas], [], 'latest', true], '')).toMatchObject({ expected: 'at most 3 params' })
  })

  test.each([
    [{ request: [withDataGas], simulation_flags: [] }, '.block_id'],
    [[[withDataGas], []], '.block_id'],
    [[[{ ...withDataGas, nonce: 1 }], [], 'latest'], '.request[0].nonce'],
    [[[withDataGas], ['SKIP_FEE_CHARGE'], 'latest'], '.simulation_flags[0]'],
    [null, ''],
    ['latest', ''],
  ])('%j: what is wrong is named at %s', (given, path) => {
    expect(params.check(given, '')?.path).toBe(path)
  })

  test('a message tells what is taken', () => {
    expect(() => assertValid(params, 7, 'params')).toThrow(
      'params: expected { request, simulation_flags, block_id } or [request, simulation_flags, block_id], got 7',
    )
    expect(() => assertValid(params, [[invoke], [], 'latest'], 'params')).toThrow(
      'params.request[0]: expected a transaction: ' +
        'INVOKE 0x3, DECLARE 0x3, DEPLOY_ACCOUNT 0x3, got type "INVOKE", version "0x1"',
    )
  })

  test('trailing ones may be absent, in either form', () => {
    const proof = starknetMethods['0.8'].starknet_getStorageProof.params
    for (const given of [{ block_id: 'latest' }, ['latest'], ['latest', ['0x1']], ['latest', ['0x1'], ['0x2']]]) {
      expect(proof.check(given, '')).toBeUndefined()
    }
    expect(starknetMethods['0.8'].starknet_subscribeNewHeads.params.check([], '')).toBeUndefined()
    expect(starknetMethods['0.8'].starknet_chainId.params.check([], '')).toBeUndefined()
    expect(starknetMethods['0.8'].starknet_chainId.params.check({}, '')).toBeUndefined()
  })

  test('by position, null stands for one that is absent before another, and for none that is required', () => {
    const { params: proof } = starknetMethods['0.8'].starknet_getStorageProof
    const keys = [{ contract_address: '0x1', storage_keys: ['0x2'] }]
    // JSON writes null for the undefined middle of a list, which its type allows.
    expect(JSON.parse(JSON.stringify(['latest', undefined, undefined, keys]))).toEqual(['latest', null, null, keys])
    expect(proof.check(['latest', null, null, keys], '')).toBeUndefined()
    expect(proof.check({ block_id: 'latest', class_hashes: null, contracts_storage_keys: keys }, '')).toBeDefined()
    expect(proof.check([null, null, null, keys], '')?.path).toBe('.block_id')
    expect(proof.check(['latest', [null]], '')?.path).toBe('.class_hashes[0]')
  })
})

test('a type as deep as it is long is refused, and not walked through', () => {
  let type: unknown = 'INVOKE'
  for (let i = 0; i < 100_000; i++) type = [type]
  const { params } = starknetMethods['0.8'].starknet_addInvokeTransaction
  expect(params.check([{ type, version: '0x3' }], '')?.received).toBe('type an array of 1, version "0x3"')
})

describe('a version takes the transactions that it knows, and 0.5.1 version 3, too', () => {
  const takes = (transaction: object) =>
    starknetVersions.filter((version) => {
      const { params } = starknetMethods[version].starknet_simulateTransactions
      return params.check(['latest', [transaction], []], '') === undefined
    })

  test.each([
    ['INVOKE 1', invoke, ['0.5.1', '0.6', '0.7']],
    ['INVOKE 1 to try', query(invoke, 1), ['0.5.1', '0.6', '0.7']],
    ['INVOKE 3', invokeV3, ['0.5.1', '0.6', '0.7']],
    ['INVOKE 3 with data gas', withDataGas, [...starknetVersions]],
    ['INVOKE 3 to try', query(withDataGas, 3), [...starknetVersions]],
    ['INVOKE 3 with a proof', { ...withDataGas, proof: 'AAAA', proof_facts: ['0x1'] }, [...starknetVersions]],
    ['INVOKE 3 with a wrong proof', { ...withDataGas, proof: 7 }, ['0.5.1', '0.6', '0.7', '0.8', '0.9']],
    ['INVOKE 2', { ...invoke, version: '0x2' }, []],
    ['INVOKE 13', { ...invoke, version: '0x1000000000000000000000000000000011' }, []],
    ['constructor', { type: 'constructor', version: '0x1' }, []],
    ['a list for a type', { ...invoke, type: ['INVOKE'] }, []],
    ['a type that cannot be printed', JSON.parse('{"type":{"toString":1,"valueOf":2},"version":{"toString":1}}'), []],
  ])('%s', (_, transaction, versions) => {
    expect(takes(transaction)).toEqual(versions)
  })

  test('amounts are below 2^64, prices below 2^128', () => {
    const bounded = (max_amount: string, max_price_per_unit: string) => ({
      ...invokeV3,
      resource_bounds: { ...invokeV3.resource_bounds, l1_gas: { max_amount, max_price_per_unit } },
    })
    expect(takes(bounded(`0x${'f'.repeat(16)}`, `0x${'f'.repeat(32)}`))).toEqual(['0.5.1', '0.6', '0.7'])
    expect(takes(bounded(`0x1${'0'.repeat(16)}`, '0x1'))).toEqual([])
    expect(takes(bounded('0x1', `0x1${'0'.repeat(32)}`))).toEqual([])
  })
})

describe('a version takes the tags that it knows', () => {
  const takes = (blockId: unknown) =>
    starknetVersions.filter(
      (version) => starknetMethods[version].starknet_getNonce.params.check([blockId, '0x1'], '') === undefined,
    )
  const all = [...starknetVersions]
  test.each([
    ['latest', all],
    ['pending', ['0.5.1', '0.6', '0.7', '0.8']],
    ['pre_confirmed', ['0.9', '0.10']],
    ['l1_accepted', ['0.9', '0.10']],
    ['earliest', []],
    [{ block_number: 0 }, all],
    [{ block_hash: '0x1' }, all],
    [{ block_number: '0x1' }, []],
    [{ block_number: -1 }, []],
    [{ block_hash: '0x1', block_number: 1 }, []],
    [{}, []],
    [7, []],
    [null, []],
  ])('%j', (blockId, versions) => {
    expect(takes(blockId)).toEqual(versions)
  })

  test('a block that is being built cannot be traced since 0.9, nor proven at all', () => {
    expect(starknetMethods['0.8'].starknet_traceBlockTransactions.params.check(['pending'], '')).toBeUndefined()
    for (const method of ['starknet_traceBlockTransactions', 'starknet_getStorageProof'] as const) {
      const { params } = starknetMethods['0.9'][method]
      expect(params.check(['l1_accepted'], '')).toBeUndefined()
      expect(params.check(['pre_confirmed'], '')).toBeDefined()
    }
    expect(starknetMethods['0.8'].starknet_getStorageProof.params.check(['pending'], '')).toBeDefined()
  })
})

test('params by name are put in their order', () => {
  const spec = starknetMethods['0.5.1'].starknet_simulateTransactions
  const named = { simulation_flags: [], transactions: [invoke], block_id: 'latest', more: 1 }
  expect(positionalParams(spec, named)).toEqual(['latest', [invoke], []])
  expect(positionalParams(spec, ['latest'])).toEqual(['latest'])
  expect(positionalParams(spec, { block_id: 'latest' })).toEqual(['latest', undefined, undefined])
  expect(positionalParams(spec, null)).toEqual([undefined, undefined, undefined])
  expect(positionalParams({ paramNames: ['toString'] }, {})).toEqual([undefined])
})
