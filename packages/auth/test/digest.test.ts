import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sameDigest, sha256Hex } from '../src/index.ts'

const digest = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 })

test('sha256Hex is the lower-case hex SHA-256 of the UTF-8 bytes', () => {
  // FIPS 180-4, the one-block example.
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
  )
})

test('sameDigest holds for equal digests only', () => {
  fc.assert(
    fc.property(digest, digest, (a, b) => {
      expect(sameDigest(a, b)).toBe(a === b)
      expect(sameDigest(a, [...a].join(''))).toBe(true)
    }),
  )
})

test('sameDigest sees one different character at any place, and different lengths', () => {
  const a = sha256Hex('a')
  for (let i = 0; i < a.length; i++) {
    const other = `${a.slice(0, i)}${a[i] === '0' ? '1' : '0'}${a.slice(i + 1)}`
    expect(sameDigest(a, other)).toBe(false)
  }
  expect(sameDigest(a, a.slice(1))).toBe(false)
  expect(sameDigest(a, `${a}0`)).toBe(false)
  expect(sameDigest('', a)).toBe(false)
})

test('sameDigest reads every character, wherever the first difference is', () => {
  expect([reads(0), reads(31), reads(63), reads(-1)]).toEqual([64, 64, 64, 64])
})

/** How many characters are read where the first difference is at `different`. */
function reads(different: number): number {
  let count = 0
  const a = sha256Hex('a')
  const spy = {
    length: a.length,
    charCodeAt(i: number) {
      count++
      return i === different ? 0 : a.charCodeAt(i)
    },
  }
  sameDigest(spy as unknown as string, a)
  return count
}
