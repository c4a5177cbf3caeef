import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import { type StarknetMethodSpec, starknetErrorsOf, starknetMethods, starknetVersions } from '../../src/index.ts'

type Table = Readonly<Record<string, StarknetMethodSpec<never, never>>>
const tables = starknetVersions.map((version) => [version, starknetMethods[version] as unknown as Table] as const)

test('the tables are facts that a gateway can read', () => {
  const facts: readonly MethodFacts[] = tables.map(([, table]) => table)
  expect(facts.map((table) => Object.keys(table).length)).toEqual([28, 28, 29, 37, 38, 38])
})

describe('what a version has that the one before did not', () => {
  test.each([
    ['0.6', [], []],
    ['0.7', ['getBlockWithReceipts'], []],
    [
      '0.8',
      [
        'getCompiledCasm',
        'getMessagesStatus',
        'getStorageProof',
        'subscribeEvents',
        'subscribeNewHeads',
        'subscribePendingTransactions',
        'subscribeTransactionStatus',
        'unsubscribe',
      ],
      [],
    ],
    ['0.9', ['subscribeNewTransactionReceipts', 'subscribeNewTransactions'], ['subscribePendingTransactions']],
    ['0.10', [], []],
  ] as const)('%s', (version, added, removed) => {
    const names = (of: string) => new Set(Object.keys(starknetMethods[of as '0.6']).map((name) => name.slice(9)))
    const now = names(version)
    const before = names(starknetVersions[starknetVersions.indexOf(version) - 1]!)
    expect([...now].filter((name) => !before.has(name)).toSorted()).toEqual(added)
    expect([...before].filter((name) => !now.has(name)).toSorted()).toEqual(removed)
  })
})

describe.each(tables)('%s', (version, table) => {
  const entries = Object.entries(table)

  test('submitting is the only write, and subscribing what needs a session', () => {
    for (const [name, { effect }] of entries) {
      const expected = name.startsWith('starknet_add') ? 'write' : /ubscribe/.test(name) ? 'session' : 'read'
      expect(effect, name).toBe(expected)
    }
  })

  test('the block stands where its name does', () => {
    for (const [name, { blockParam, paramNames, effect }] of entries) {
      const place = paramNames.indexOf('block_id')
      expect(blockParam, name).toBe(effect === 'read' && place !== -1 ? place : undefined)
    }
  })

  test('addresses stand where their names do', () => {
    for (const [name, { addressPaths = [], paramNames }] of entries) {
      const named = paramNames.flatMap((each, i) => (/address/.test(each) ? [String(i)] : []))
      expect(addressPaths, name).toEqual(expect.arrayContaining(named.filter(() => name !== 'starknet_getStateUpdate')))
      for (const path of addressPaths) expect(Number(path.split('.')[0])).toBeLessThan(paramNames.length)
    }
  })

  test('what is kept is not what changes by itself', () => {
    const kept = entries.filter(([, { cache }]) => cache !== undefined)
    expect(kept.every(([, { effect }]) => effect === 'read')).toBe(true)
    for (const [, { cache, blockParam }] of kept) if (cache === 'block') expect(blockParam).toBeDefined()
    for (const method of ['getTransactionReceipt', 'getTransactionStatus', 'getEvents', 'syncing', 'specVersion']) {
      expect(table[`starknet_${method}`]!.cache, method).toBeUndefined()
    }
  })

  test('errors are those of the version', () => {
    const known = starknetErrorsOf(version)
    for (const [name, { errors }] of entries) {
      for (const code of errors) expect(known[code], `${name} ${code}`).toBeDefined()
      expect(new Set(errors).size, name).toBe(errors.length)
    }
  })

  test('a subscription says how it tells and how it ends', () => {
    for (const [name, { subscription }] of entries) {
      expect(subscription !== undefined, name).toBe(name.startsWith('starknet_subscribe'))
      if (subscription === undefined) continue
      expect(Object.hasOwn(table, subscription.unsubscribe)).toBe(true)
      expect(subscription.event).toBe(
        name.replace('subscribe', 'subscription').replace(/NewTransactions$/, 'NewTransaction'),
      )
    }
  })
})

describe('params in positional order', () => {
  test.each([
    ['0.5.1', 'estimateFee', ['request', 'block_id']],
    ['0.6', 'estimateFee', ['request', 'simulation_flags', 'block_id']],
    ['0.10', 'estimateFee', ['request', 'simulation_flags', 'block_id']],
    ['0.5.1', 'simulateTransactions', ['block_id', 'transactions', 'simulation_flags']],
    ['0.10', 'simulateTransactions', ['block_id', 'transactions', 'simulation_flags']],
    ['0.9', 'getStorageAt', ['contract_address', 'key', 'block_id']],
    ['0.10', 'getStorageAt', ['contract_address', 'key', 'block_id', 'response_flags?']],
    ['0.8', 'getStorageProof', ['block_id', 'class_hashes?', 'contract_addresses?', 'contracts_storage_keys?']],
    ['0.6', 'getNonce', ['block_id', 'contract_address']],
    ['0.6', 'getClass', ['block_id', 'class_hash']],
    ['0.6', 'call', ['request', 'block_id']],
    ['0.6', 'estimateMessageFee', ['message', 'block_id']],
    ['0.6', 'getTransactionByBlockIdAndIndex', ['block_id', 'index']],
    ['0.10', 'getTransactionByBlockIdAndIndex', ['block_id', 'index', 'response_flags?']],
    ['0.8', 'subscribeEvents', ['from_address?', 'keys?', 'block_id?']],
    ['0.9', 'subscribeEvents', ['from_address?', 'keys?', 'block_id?', 'finality_status?']],
    ['0.8', 'subscribePendingTransactions', ['transaction_details?', 'sender_address?']],
    ['0.9', 'subscribeNewTransactions', ['finality_status?', 'sender_address?']],
    ['0.10', 'subscribeNewTransactions', ['finality_status?', 'sender_address?', 'tags?']],
    ['0.10', 'traceBlockTransactions', ['block_id', 'trace_flags?']],
    ['0.10', 'getStateUpdate', ['block_id', 'contract_addresses?']],
  ] as const)('%s %s', (version, method, names) => {
    expect((starknetMethods[version] as unknown as Table)[`starknet_${method}`]!.paramNames).toEqual(names)
  })
})
