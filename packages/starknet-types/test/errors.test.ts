import { RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, test } from 'vitest'
import { isStarknetError, starknetErrorsOf, starknetMethods, starknetVersions } from '../src/index.ts'
import { recorded } from './recorded.ts'

const nested = { contract_address: '0x1', class_hash: '0x2', selector: '0x3', error: 'out of gas' }
const error = (code: number, data?: unknown) => ({ code, message: 'some words', data })

describe('the data of an error is what its version says', () => {
  test.each([
    [error(40, { revert_error: 'why' }), 40, '0.5.1', true],
    [error(40, { revert_error: nested }), 40, '0.7', false],
    [error(40, { revert_error: nested }), 40, '0.8', true],
    [error(40, { revert_error: { ...nested, error: nested } }), 40, '0.10', true],
    [error(40, { revert_error: { ...nested, class_hash: 'none' } }), 40, '0.10', false],
    [error(40, 'why'), 40, '0.8', false],
    [error(40), 40, '0.8', false],
    [error(41, { transaction_index: 0, execution_error: 'why' }), 41, '0.6', true],
    [error(41, { transaction_index: 0, execution_error: 'why' }), 41, '0.5.1', false],
    [error(41, { transaction_index: 0, execution_error: nested }), 41, '0.7', false],
    [error(41, { transaction_index: 0, execution_error: nested }), 41, '0.8', true],
    [error(41, { execution_error: 'why' }), 41, '0.8', false],
    [error(55), 55, '0.5.1', true],
    [error(55), 55, '0.6', false],
    [error(55, 'why'), 55, '0.6', true],
    [error(56, 'why'), 56, '0.8', true],
    [error(56), 56, '0.8', false],
    [error(52), 52, '0.8', true],
    [error(52), 52, '0.9', false],
    [error(63, 'why'), 63, '0.10', true],
    [error(63, { why: 1 }), 63, '0.10', false],
    [error(100, { compilation_error: 'why' }), 100, '0.8', true],
    [error(100, {}), 100, '0.8', false],
    [error(10, { status: 'RECEIVED' }), 10, '0.8', true],
    [error(10), 10, '0.8', true],
    [error(10, null), 10, '0.8', false],
    [error(20, 'anything'), 20, '0.8', true],
    [error(20), 24, '0.8', false],
  ] as const)('%j as %i of %s: %s', (given, code, version, is) => {
    expect(isStarknetError(given, code, version)).toBe(is)
    expect(isStarknetError(new RpcError('rpc', 'no', { rpc: given }), code, version)).toBe(is)
  })
})

test('without a version the data of any version is taken', () => {
  expect(isStarknetError(error(40, { revert_error: 'why' }), 40)).toBe(true)
  expect(isStarknetError(error(40, { revert_error: nested }), 40)).toBe(true)
  expect(isStarknetError(error(40, { revert_error: 7 }), 40)).toBe(false)
})

test('an error that is not a node’s is none of these', () => {
  expect(isStarknetError(new RpcError('timeout', 'late'), 24)).toBe(false)
  expect(isStarknetError(undefined, 24)).toBe(false)
})

test('an error may be nested deeper than a stack', () => {
  let cause: unknown = 'why'
  for (let i = 0; i < 100_000; i++) cause = { ...nested, error: cause }
  expect(isStarknetError(error(40, { revert_error: cause }), 40, '0.8')).toBe(true)
})

test('recorded errors are those of the specification', () => {
  const errors = recorded().flatMap(({ answer }) => (answer.error === undefined ? [] : [answer.error]))
  const known = errors.filter(({ code }) => code > 0)
  expect(known.length).toBeGreaterThan(4)
  for (const each of known) {
    const code = each.code as 20 | 24 | 41
    expect(isStarknetError(each, code)).toBe(true)
    expect(starknetErrorsOf('0.7')[code]?.message).toBe(each.message)
  }
})

test('a version has the errors that its methods may give, and no others', () => {
  for (const version of starknetVersions) {
    const given = Object.values(starknetMethods[version]).flatMap(({ errors }) => [...errors])
    // No method names the first one.
    const listed = Object.keys(starknetErrorsOf(version)).map(Number)
    expect(new Set([...given, 1]), version).toEqual(new Set(listed))
  }
})

test('words change with the version, and a name with them', () => {
  expect(starknetErrorsOf('0.7')[53]).toEqual({
    name: 'INSUFFICIENT_MAX_FEE',
    message: 'Max fee is smaller than the minimal transaction cost (validation plus fee transfer)',
  })
  expect(starknetErrorsOf('0.8')[53]?.name).toBe('INSUFFICIENT_RESOURCES_FOR_VALIDATE')
  expect(starknetErrorsOf('0.8')[21]?.message).toBe('Requested entrypoint does not exist in the contract')
  expect(starknetErrorsOf('0.10')[21]?.message).toBe('Requested entry point does not exist in the contract')
  expect(starknetErrorsOf('0.6')[25]).toBeUndefined()
})
