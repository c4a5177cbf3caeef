import { expect, it } from 'vitest'
import { newSubscriptionId } from '../src/evm-events.ts'

const idOf = (...last: number[]): string =>
  newSubscriptionId((count) => Uint8Array.from({ length: count }, (_, i) => last[i - (count - last.length)] ?? 0))

it.each([
  { bytes: [0x0a], id: '0xa' },
  { bytes: [0x10, 0], id: '0x1000' },
  { bytes: [0], id: '0x0' },
  { bytes: [1, 0], id: '0x100' },
  { bytes: Array.from({ length: 16 }, () => 0xff), id: `0x${'ff'.repeat(16)}` },
  { bytes: Array.from({ length: 16 }, (_, i) => i), id: '0x102030405060708090a0b0c0d0e0f' },
])('an id is a quantity without leading zeros: $id', ({ bytes, id }) => {
  expect(idOf(...bytes)).toBe(id)
})

it('takes 16 bytes', () => {
  const counts: number[] = []
  newSubscriptionId((count) => {
    counts.push(count)
    return new Uint8Array(count)
  })
  expect(counts).toEqual([16])
})
