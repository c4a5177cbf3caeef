import { crc32 } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createApiKey,
  createApiSecret,
  hasValidChecksum,
  hintOf,
  isApiKey,
  isApiSecret,
  isWeakKey,
  keyPattern,
} from '../src/index.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const numberOf = (text: string): bigint =>
  Array.from(text).reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n)
const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })

test('a key is 1 to 128 URL-safe characters', () => {
  for (const key of ['0123456789abcdef0123456789abcdef', 'a', 'A_b-9', 'k'.repeat(128)])
    expect(isApiKey(key)).toBe(true)
  for (const key of ['', 'k'.repeat(129), 'a b', 'a/b', 'a%20', 'a.b', 'a\n', 'é']) expect(isApiKey(key)).toBe(false)
})

test('a key stands in a URL as it is', () => {
  const characters = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).filter(isApiKey)
  expect(characters).toHaveLength(64)
  expect(encodeURIComponent(characters.join(''))).toBe(characters.join(''))
})

test('a secret is 1 to 1,024 characters, not all blank, without control characters', () => {
  expect(isApiSecret(' \u00A0')).toBe(false)
  for (const secret of ['s', 'with: colon', 'pässwörd', 's'.repeat(1_024)]) expect(isApiSecret(secret)).toBe(true)
  for (const secret of ['', 's'.repeat(1_025), 'a\tb', 'a\0', 'a\x7f', 'a\x85']) expect(isApiSecret(secret)).toBe(false)
})

test('a new key holds 128 random bits, and the CRC-32 of all that stands before it, in base62', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const key = createApiKey(() => random)
      expect(key).toMatch(/^wl_[0-9A-Za-z]{28}$/)
      expect(numberOf(key.slice(3, 25))).toBe(BigInt(`0x${Buffer.from(random).toString('hex')}`))
      expect(numberOf(key.slice(25))).toBe(BigInt(crc32(key.slice(0, 25))))
    }),
  )
  expect(createApiKey(() => new Uint8Array(16))).toBe('wl_00000000000000000000001WPVCo')
})

test('new keys and secrets are each of their own', () => {
  const made = Array.from({ length: 100 }, () => [createApiKey(), createApiSecret()]).flat()
  expect(new Set(made).size).toBe(200)
  expect(made.filter((text) => !hasValidChecksum(text) || isWeakKey(text))).toEqual([])
  expect(made.filter((text) => text.startsWith('wls_') && isApiSecret(text))).toHaveLength(100)
  expect(made.filter((text) => text.startsWith('wl_') && isApiKey(text))).toHaveLength(100)
})

test('the checksum tells a slip of one character, and keys of elsewhere have none', () => {
  fc.assert(
    fc.property(bytes, fc.nat(27), fc.nat(60), (random, place, step) => {
      const key = createApiKey(() => random)
      const at = place + 3
      const other = alphabet[(alphabet.indexOf(key[at]!) + 1 + step) % 62]!
      expect(hasValidChecksum(key)).toBe(true)
      expect(hasValidChecksum(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
    }),
  )
  const key = createApiKey()
  for (const text of ['', '0123456789abcdef0123456789abcdef', `${key}\n`, `${key}0`, key.slice(1), `x${key}`]) {
    expect(hasValidChecksum(text)).toBe(false)
  }
})

test('the published pattern finds keys and secrets in a text, and nothing in hex or longer words', () => {
  const [key, secret] = [createApiKey(), createApiSecret()]
  expect(keyPattern.exec(`https://mainnet.example.org/v3/${key}?x`)?.[0]).toBe(key)
  expect(keyPattern.exec(`WAYLEAVE_SECRET="${secret}"`)?.[0]).toBe(secret)
  for (const text of ['0123456789abcdef0123456789abcdef', `${key}0`, `x${key}`, 'wl_short']) {
    expect(keyPattern.test(text)).toBe(false)
  }
})

test('a key is weak below 16 characters, and a hint of four is given only above', () => {
  expect([isWeakKey('k'.repeat(15)), isWeakKey('k'.repeat(16))]).toEqual([true, false])
  expect([hintOf('abcdefghijklmno'), hintOf('abcdefghijklmnop')]).toEqual(['', 'mnop'])
})
