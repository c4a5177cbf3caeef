import { describe, expect, it } from 'vitest'
import type { ErrorParts } from '../../src/adapter/index.ts'
import { callOf, pairs } from './support.ts'

type Version = Parameters<typeof callOf>[0]

function errorOf(
  caller: Version,
  endpoint: Version,
  error: ErrorParts,
  method = 'starknet_call',
  params?: unknown,
): ErrorParts {
  return callOf(caller, endpoint, method, params).error!(error)
}

const nested = {
  contract_address: '0x1',
  class_hash: '0x2',
  selector: '0x3',
  error: { contract_address: '0x4', class_hash: '0x5', selector: '0x6', error: "0x4f7574 ('Out')" },
}
const nestedText =
  'Error in contract 0x1, class 0x2, selector 0x3:\nError in contract 0x4, class 0x5, selector 0x6:\n' +
  "0x4f7574 ('Out')"

describe('errors', () => {
  it('of an execution are a contract error in 0.5.1, with the reason as a text', () => {
    const error = {
      code: 41,
      message: 'Transaction execution error',
      data: { transaction_index: 1, execution_error: nested },
    }
    expect(errorOf('0.5.1', '0.8', error)).toEqual({
      code: 40,
      message: 'Contract error',
      data: {
        revert_error: nestedText,
        wayleave: { adapted_from: '0.8', code: 41, message: error.message, data: error.data },
      },
    })
  })

  it.each([
    [40, 'revert_error'],
    [41, 'execution_error'],
  ])('%i: the calls that led there are a text up to 0.7', (code, name) => {
    const error = { code, message: 'x', data: { transaction_index: 1, [name]: nested } }
    expect(errorOf('0.7', '0.10', error)).toEqual({
      code,
      message: 'x',
      data: { transaction_index: 1, [name]: nestedText, wayleave: { adapted_from: '0.10', [name]: nested } },
    })
    expect(errorOf('0.8', '0.10', error)).toBe(error)
  })

  it('of 0.5.1 name the transaction where there was only one', () => {
    const error = { code: 40, message: 'Contract error', data: { revert_error: 'why' } }
    const tried = { request: [{}], block_id: 'latest' }
    expect(errorOf('0.6', '0.5.1', error, 'starknet_estimateFee', tried)).toEqual({
      code: 41,
      message: 'Transaction execution error',
      data: { transaction_index: 0, execution_error: 'why' },
    })
    const two = { request: [{}, {}], block_id: 'latest' }
    expect(errorOf('0.6', '0.5.1', error, 'starknet_estimateFee', two)).toBe(error)
    expect(errorOf('0.6', '0.5.1', error)).toBe(error)
  })

  it('get the nearest code that the caller knows, and keep their own', () => {
    expect(
      errorOf('0.7', '0.8', { code: 21, message: 'Requested entrypoint does not exist in the contract' }),
    ).toMatchObject({
      code: 40,
      data: { revert_error: 'Requested entrypoint does not exist in the contract', wayleave: { code: 21 } },
    })
    expect(errorOf('0.8', '0.9', { code: 65, message: 'Transaction fee below minimum', data: 'x' })).toEqual({
      code: 53,
      message: 'Transaction fee below minimum',
      data: { wayleave: { adapted_from: '0.9', code: 65, message: 'Transaction fee below minimum', data: 'x' } },
    })
    expect(
      errorOf('0.8', '0.10', { code: 64, message: 'Replacement transaction is underpriced', data: { a: 1 } }),
    ).toEqual({
      code: 63,
      message: 'An unexpected error occurred',
      data: 'Replacement transaction is underpriced (code 64 of Starknet RPC 0.10): {"a":1}',
    })
  })

  it('lose nothing of their data', () => {
    const failed = { compilation_error: 'no', error: 'inner', wayleave: 1 }
    const { data } = errorOf('0.7', '0.8', { code: 100, message: 'Failed to compile the contract', data: failed })
    expect(data).toContain(JSON.stringify(failed))
    const failure = { contract_address: '0x1', class_hash: '0x2', selector: '0x3', error: 'why' }
    const marked = { transaction_index: 0, execution_error: failure, wayleave: { adapted_from: '0.10' } }
    expect(errorOf('0.7', '0.8', { code: 41, message: 'failed', data: marked })).toMatchObject({
      data: { wayleave: { adapted_from: '0.8', execution_error: failure, wayleave: { adapted_from: '0.10' } } },
    })
  })

  it('for a transaction that is not there have the code of each version', () => {
    const missing = { code: 29, message: 'Transaction hash not found' }
    const invalid = { code: 25, message: 'Invalid transaction hash' }
    expect(errorOf('0.5.1', '0.8', missing, 'starknet_traceTransaction')).toEqual(invalid)
    expect(errorOf('0.5.1', '0.8', missing, 'starknet_getTransactionByHash')).toBe(missing)
    expect(errorOf('0.6', '0.5.1', invalid, 'starknet_getTransactionByHash')).toEqual(missing)
  })

  it('that no version documents, or all do alike, are the same value', () => {
    for (const [caller, endpoint] of pairs) {
      for (const code of [-32603, -32602, 3, 20, 24, 25.5, 63, 12345]) {
        const error = { code, message: 'x', data: ['an', 'array', 1] }
        expect(errorOf(caller, endpoint, error)).toBe(error)
      }
    }
  })
})
