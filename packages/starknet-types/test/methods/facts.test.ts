import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import { type StarknetMethodSpec, starknetErrorsOf, starknetMethods, starknetVersions } from '../../src/index.ts'
import type { MethodRow } from '../../src/method-spec.ts'
import * as rows from '../../src/methods/table.ts'
import { factsIn, minorOf } from '../../src/versions.ts'

type Table = Readonly<Record<string, StarknetMethodSpec<never, never>>>
const tables = starknetVersions.map((version) => [version, starknetMethods[version] as unknown as Table] as const)

test('the tables are facts that a gateway can read', () => {
  const facts: readonly MethodFacts[] = tables.map(([, table]) => table)
  expect(facts.map((table) => Object.keys(table).length)).toEqual([28, 28, 29, 37, 38, 38])
})

describe.each(tables)('%s', (version, table) => {
  const entries = Object.entries(table)

  test('methods and facts are those that the one table has since this version or an earlier one', () => {
    const minor = minorOf(version)
    const reported = Object.entries<MethodRow>(rows).flatMap(([name, { since, ...facts }]) => {
      const last = Object.entries(since).findLast(([each]) => Number(each) <= minor)?.[1]
      return last ? [[name, { source: 'starknet-specs', ...facts, ...factsIn(minor, since) }]] : []
    })
    const ours = entries.map(([name, { params, result, ...facts }]) => [name, params && result ? facts : undefined])
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(reported))
  })

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
    for (const method of ['getTransactionStatus', 'traceTransaction', 'syncing', 'specVersion']) {
      expect(table[`starknet_${method}`]!.cache, method).toBeUndefined()
    }
    // That it is still there, and its finality, do not follow from its hash.
    expect(table['starknet_getTransactionByHash']!.cache).toBe('head')
    expect(table['starknet_getTransactionReceipt']!.cache).toBe('result')
    expect(table['starknet_getEvents']!.cache).toBe('range')
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
