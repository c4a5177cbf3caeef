import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeShortString, encodeShortString } from '../src/index.ts'

test.each([
  // Chain ids, as nodes answer them.
  ['SN_MAIN', '0x534e5f4d41494e'],
  ['SN_SEPOLIA', '0x534e5f5345504f4c4941'],
  ['', '0x0'],
  ['a', '0x61'],
])('%j is %s', (text, felt) => {
  expect(encodeShortString(text)).toBe(felt)
  expect(decodeShortString(felt)).toBe(text)
})

test('a text of up to 31 ASCII characters survives, unless it begins with NUL', () => {
  const character = fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code))
  fc.assert(
    fc.property(fc.array(character, { maxLength: 31 }), (characters) => {
      const text = characters.join('')
      if (text.startsWith('\0')) expect(() => encodeShortString(text)).toThrow('31 ASCII')
      else expect(decodeShortString(encodeShortString(text))).toBe(text)
    }),
  )
})

test.each(['a'.repeat(32), 'é', '😀', 7, ['a'], undefined])('%j does not fit', (text) => {
  expect(() => encodeShortString(text as string)).toThrow(/^text: expected up to 31 ASCII characters/)
})

test.each(['0x80', `0x1${'00'.repeat(31)}`])('%s is no text', (felt) => {
  expect(() => decodeShortString(felt)).toThrow(/^felt: expected a short string/)
})
