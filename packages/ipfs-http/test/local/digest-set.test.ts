import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDigestSet } from '../../src/local/digest-set.ts'
import { cidOf, codes, identityOf } from './read/dags.ts'

const multihashOf = (text: string): Uint8Array => cidOf(Buffer.from(text)).multihash.bytes

test('what was added stays in the set while it grows, up to its bound', () => {
  const set = createDigestSet(5000)
  const all = Array.from({ length: 5000 }, (_, at) => multihashOf(`${at}`))
  for (const each of all) expect([set.has(each), set.add(each), set.has(each)]).toEqual([false, true, true])
  expect(all.some((each) => set.add(each))).toBe(false)
  expect(set.size).toBe(5000)
  expect(() => set.add(multihashOf('one more'))).toThrow(expect.objectContaining({ code: 'too_large' }))
})

test('the same digest under another codec is another member', () => {
  const set = createDigestSet()
  expect(set.add(multihashOf('a'), codes.raw)).toBe(true)
  expect([
    set.has(multihashOf('a'), codes.pb),
    set.has(multihashOf('a')),
    set.has(multihashOf('a'), codes.raw),
  ]).toEqual([false, false, true])
})

test('neither an identity CID nor a short digest can be made to look like another member', () => {
  const { digest, bytes } = cidOf(Buffer.from('a')).multihash
  const set = createDigestSet()
  set.add(bytes)
  for (const other of [
    identityOf(digest).multihash.bytes,
    bytes.subarray(2),
    Uint8Array.of(0x12, 20, ...digest.subarray(0, 20)),
  ]) {
    expect(set.has(other)).toBe(false)
  }
})

test('digests that share 64 bits at either end are told apart', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 300 }), (numbers) => {
      const set = createDigestSet()
      for (const value of numbers) {
        const bytes = new Uint8Array(34)
        bytes.set([0x12, 32])
        new DataView(bytes.buffer).setBigUint64(7, value)
        expect(set.add(bytes)).toBe(true)
      }
      expect(set.size).toBe(numbers.length)
    }),
  )
})
