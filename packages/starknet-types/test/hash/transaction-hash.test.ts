import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import * as hashes from '../../src/hash/index.ts'
import { type HashableTransaction, isTransactionHash, transactionHash } from '../../src/hash/index.ts'
import { encodeShortString } from '../../src/short-string.ts'
import { vectors } from './vectors.ts'

const main = encodeShortString('SN_MAIN')

/** One vector of each type and version. */
const kinds = [...new Map(vectors.map((each) => [`${each.tx.type} ${each.tx.version}`, each])).values()]

function vectorOf(type: string, version: string): (typeof vectors)[number] {
  return kinds.find(({ tx }) => tx.type === type && tx.version === version)!
}

describe('a real transaction has the hash that it has on its chain', () => {
  test.each(vectors)('$title', ({ tx, chain, hash }) => {
    expect(transactionHash(tx, encodeShortString(chain))).toBe(hash)
  })

  test('every type and version is among them', () => {
    // 42 of the project's own vectors, and two more with three bounds.
    expect(vectors).toHaveLength(42 + 2)
    expect(kinds.map(({ tx }) => `${tx.type} ${tx.version}`).toSorted()).toEqual([
      'DECLARE 0x0',
      'DECLARE 0x1',
      'DECLARE 0x2',
      'DECLARE 0x3',
      'DEPLOY 0x0',
      'DEPLOY_ACCOUNT 0x1',
      'DEPLOY_ACCOUNT 0x3',
      'INVOKE 0x0',
      'INVOKE 0x1',
      'INVOKE 0x3',
      'L1_HANDLER 0x0',
    ])
  })

  test('the function of one type and version gives the same', () => {
    const functions: Record<string, (tx: never, chainId: string) => string> = {
      'DECLARE 0x0': hashes.declareV0Hash,
      'DECLARE 0x1': hashes.declareV1Hash,
      'DECLARE 0x2': hashes.declareV2Hash,
      'DECLARE 0x3': hashes.declareV3Hash,
      'DEPLOY 0x0': hashes.deployHash,
      'DEPLOY_ACCOUNT 0x1': hashes.deployAccountV1Hash,
      'DEPLOY_ACCOUNT 0x3': hashes.deployAccountV3Hash,
      'INVOKE 0x0': hashes.invokeV0Hash,
      'INVOKE 0x1': hashes.invokeV1Hash,
      'INVOKE 0x3': hashes.invokeV3Hash,
      'L1_HANDLER 0x0': hashes.l1HandlerHash,
    }
    for (const { tx, chain, hash } of kinds) {
      expect(functions[`${tx.type} ${tx.version}`]!(tx as never, encodeShortString(chain))).toBe(hash)
    }
  })
})

/** Members that no hash covers. */
const outside = new Set(['type', 'transaction_hash', 'signature'])

/** Whether the rest of the transaction implies a member: the address of what is deployed, the nonce of a DECLARE of version 0. */
function isImplied({ type, version }: HashableTransaction, member: string): boolean {
  if (type === 'DECLARE' && version === '0x0') return member === 'nonce'
  return type.startsWith('DEPLOY') && ['contract_address', 'sender_address'].includes(member)
}

/** The paths of all strings and lists in a value; of a list's elements, the first two. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return [path]
  const entries = Object.entries(value as object).slice(0, Array.isArray(value) ? 2 : undefined)
  const below = entries.flatMap(([key, each]) => pathsOf(each, [...path, key]))
  return Array.isArray(value) ? [path, ...below] : below
}

function edited(value: unknown, path: readonly string[], edit: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return edit(value)
  const changed = edited((value as Record<string, unknown>)[key], rest, edit)
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...(value as object), [key]: changed }
}

function otherValue(old: unknown, path: readonly string[]): unknown {
  if (path[0] === 'version') return '0x7'
  if (Array.isArray(old)) return [...old, '0x0']
  if (old === 'L1') return 'L2'
  return `0x${(BigInt(old as string) ^ 1n).toString(16)}`
}

describe('a change of any member that is hashed changes the hash, or is refused', () => {
  test.each(kinds)('$tx.type $tx.version', ({ tx, chain, hash }) => {
    const paths = pathsOf(tx).filter(([first]) => !outside.has(first!) && !isImplied(tx, first!))
    expect(paths.length).toBeGreaterThan(3)
    for (const path of paths) {
      const changed = edited(tx, path, (old) => otherValue(old, path)) as HashableTransaction
      if (path[0] === 'version') expect(() => transactionHash(changed, encodeShortString(chain))).toThrow(SchemaError)
      else expect(transactionHash(changed, encodeShortString(chain)), path.join('.')).not.toBe(hash)
    }
    expect(transactionHash(tx, encodeShortString('SN_OTHER'))).not.toBe(hash)
  })
})

describe('the input', () => {
  const { tx, hash } = kinds.find((each) => each.tx.type === 'INVOKE' && each.chain === 'SN_MAIN')!

  test('may be padded with zeros, and in capitals', () => {
    const padded = edited(
      tx,
      ['calldata', '1'],
      (old) => `0x${(old as string).slice(2).toUpperCase().padStart(64, '0')}`,
    )
    expect(transactionHash(padded as HashableTransaction, `0x000${main.slice(2)}`)).toBe(hash)
  })

  const bad = [
    '1',
    '0x',
    '0xg',
    '',
    '-0x1',
    ' 0x1',
    '0x1\n',
    1,
    1n,
    null,
    undefined,
    `0x8${'0'.repeat(14)}11${'0'.repeat(46)}1`,
    {},
  ]

  test.each(bad.map((value) => [value]))('is refused where a felt is %s, by the name of its place', (value) => {
    const broken = edited(tx, ['calldata', '1'], () => value) as HashableTransaction
    expect(() => transactionHash(broken, main)).toThrow('calldata[1]: expected a felt')
    expect(() => transactionHash(tx, value as string)).toThrow('chainId: expected a felt')
  })

  test.each(kinds)('is refused where any member of $tx.type $tx.version is missing', ({ tx: each, chain }) => {
    for (const path of pathsOf(each)) {
      if (path.length !== 1 || outside.has(path[0]!) || isImplied(each, path[0]!)) continue
      const broken = edited(each, path, () => undefined) as HashableTransaction
      expect(() => transactionHash(broken, encodeShortString(chain)), path[0]).toThrow(SchemaError)
    }
  })

  test('is refused where a tip or a bound would run into the next field', () => {
    const v3 = vectorOf('INVOKE', '0x3').tx
    const bounds = ['resource_bounds', 'l1_gas']
    for (const [path, bits] of [
      [['tip'], 64],
      [[...bounds, 'max_amount'], 64],
      [[...bounds, 'max_price_per_unit'], 128],
    ] as const) {
      const of = (number: bigint): HashableTransaction =>
        edited(v3, path, () => `0x${number.toString(16)}`) as HashableTransaction
      expect(() => transactionHash(of(2n ** BigInt(bits)), main)).toThrow(`a hex number below 2^${bits}`)
      expect(transactionHash(of(2n ** BigInt(bits) - 1n), main)).toMatch(/^0x[1-9a-f][0-9a-f]*$/)
    }
  })

  test('is refused where the mode of data availability has another word', () => {
    const broken = edited(vectorOf('INVOKE', '0x3').tx, ['fee_data_availability_mode'], () => 0) as HashableTransaction
    expect(() => transactionHash(broken, main)).toThrow('fee_data_availability_mode: expected "L1" or "L2"')
  })

  test('is refused where Starknet has no such type or version', () => {
    const other = (type: string, version: string): HashableTransaction => ({ ...tx, type, version }) as never
    expect(() => transactionHash(other('INVOKE', '0x2'), main)).toThrow('INVOKE 2')
    expect(() => transactionHash(other('INVOKE_FUNCTION', '0x1'), main)).toThrow('INVOKE_FUNCTION 1')
    const v3 = { ...vectorOf('INVOKE', '0x3').tx, version: '0x1' } as never
    expect(() => hashes.invokeV3Hash(v3, main)).toThrow('version: expected version 0x3')
  })

  test('is refused where there is no transaction, no type or no class', () => {
    const declare = vectorOf('DECLARE', '0x2').tx
    const nothing = { ...declare, class_hash: undefined, contract_class: null }
    for (const broken of [null, undefined, 'INVOKE', [], { ...tx, type: { toString: 1 } }, nothing]) {
      expect(() => transactionHash(broken as never, main)).toThrow(SchemaError)
      expect(() => isTransactionHash('0x1', broken as never, main)).toThrow(SchemaError)
    }
  })
})

describe('the three bounds', () => {
  const two = vectors.find((each) => each.hash.startsWith('0x2a7ab0b4'))!
  const { tx, hash, chain } = two
  const chainId = encodeShortString(chain)
  const zero = { max_amount: '0x0', max_price_per_unit: '0x0' }
  const withData = (l1_data_gas: typeof zero): HashableTransaction =>
    edited(tx, ['resource_bounds'], (old) => ({ ...(old as object), l1_data_gas })) as HashableTransaction

  test('are hashed where all are there, even at zero', () => {
    expect(transactionHash(withData(zero), chainId)).not.toBe(hash)
  })

  test('may be two and a zero that a node added', () => {
    expect(isTransactionHash(hash, tx, chainId)).toBe(true)
    expect(isTransactionHash(hash, withData(zero), chainId)).toBe(true)
    expect(isTransactionHash(transactionHash(withData(zero), chainId), withData(zero), chainId)).toBe(true)
  })

  test('are never two where a third bound or the gas of L2 says something', () => {
    const some = { ...zero, max_price_per_unit: '0x1' }
    expect(isTransactionHash(hash, withData(some), chainId)).toBe(false)
    const l2 = edited(tx, ['resource_bounds', 'l2_gas'], () => some) as HashableTransaction
    const padded = edited(l2, ['resource_bounds'], (old) => ({ ...(old as object), l1_data_gas: zero }))
    expect(isTransactionHash(transactionHash(l2, chainId), padded as HashableTransaction, chainId)).toBe(false)
  })

  test('do not matter to a transaction of before version 3', () => {
    const { tx: old, hash: oldHash } = vectorOf('INVOKE', '0x0')
    expect(isTransactionHash(`0x0${oldHash.slice(2)}`, old, main)).toBe(true)
    expect(isTransactionHash('0x1', old, main)).toBe(false)
  })
})
