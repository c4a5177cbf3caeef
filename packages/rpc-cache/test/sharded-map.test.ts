import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shardCount, ShardedMap, shardOf } from '../src/sharded-map.ts'

it('holds what a map holds', () => {
  const key = fc.string({ maxLength: 40 })
  const act = fc.oneof(
    fc.record({ kind: fc.constant('set'), key, value: fc.integer() }),
    fc.record({ kind: fc.constant('delete'), key, value: fc.constant(0) }),
  )
  fc.assert(
    fc.property(fc.array(act, { maxLength: 100 }), fc.array(key), (acts, others) => {
      const map = new Map<string, number>()
      const sharded = new ShardedMap<number>()
      for (const { kind, key: name, value } of acts) {
        if (kind === 'set') {
          map.set(name, value)
          sharded.set(name, value)
        } else expect(sharded.delete(name)).toBe(map.delete(name))
        expect(sharded.size).toBe(map.size)
      }
      for (const name of [...map.keys(), ...others]) expect(sharded.get(name)).toBe(map.get(name))
      expect([...sharded.values()].toSorted()).toEqual([...map.values()].toSorted())
    }),
  )
})

it('gives no value that was deleted while the others were read', () => {
  const map = new ShardedMap<number>()
  for (let i = 0; i < 500; i++) map.set(`key ${i}`, i)
  const seen: number[] = []
  for (const value of map.values()) {
    seen.push(value)
    map.delete(`key ${499 - value}`)
  }
  expect(seen).toHaveLength(250)
  expect(map.size).toBe(250)
})

const hex = (i: number, digits: number): string =>
  (BigInt(i) * 0x9e3779b97f4a7c15n).toString(16).slice(-digits).padStart(digits, '0')

it.each([
  [
    'balances at one block',
    (i: number) => `eth_getBalance@0x${'ab'.repeat(32)}\n0x${hex(i, 16)}${hex(i + 1e6, 16)}00000000`,
  ],
  ['balances at numbers', (i: number) => `eth_getBalance#${20_000_000 + i}\n0x${'cd'.repeat(20)}`],
  ['blocks by numbers', (i: number) => `eth_getBlockByNumber#${20_000_000 + i}\nfalse`],
  ['receipts by hashes', (i: number) => `eth_getTransactionReceipt\n0x${hex(i, 16).repeat(4)}`],
  [
    'contract reads',
    (i: number) =>
      `eth_call@0x${'ab'.repeat(32)}\n{"to":"0x${'cd'.repeat(20)}","input":"0x70a08231${'0'.repeat(24)}${hex(i, 16)}${hex(i + 1e6, 16)}00000000"}\n\n`,
  ],
  ['names that are counted', (i: number) => `key ${i}`],
])('spreads %s over all parts', (_what, keyOf) => {
  const counts = Array.from({ length: shardCount }, () => 0)
  for (let i = 0; i < 64_000; i++) counts[shardOf(keyOf(i))]!++
  expect(Math.max(...counts)).toBeLessThan(4_000)
})
