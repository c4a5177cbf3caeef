import { expect, test } from 'vitest'
import { isApiKey, isApiSecret } from '../src/index.ts'

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

test('a secret is 1 to 1,024 characters without control characters', () => {
  for (const secret of ['s', 'with: colon', 'pässwörd', 's'.repeat(1_024)]) expect(isApiSecret(secret)).toBe(true)
  for (const secret of ['', 's'.repeat(1_025), 'a\tb', 'a\0', 'a\x7f', 'a\x85']) expect(isApiSecret(secret)).toBe(false)
})
