import { expect, it } from 'vitest'
import { schemeHint } from '../src/scheme-hint.ts'

it.each([
  ['localhost:8545', '; is it http://localhost:8545?'],
  ['node.example.org', '; is it http://node.example.org?'],
  ['[::1]:8545', '; is it http://[::1]:8545?'],
  ['node.example.org/v3/S3CR3T', '; is it http://node.example.org/…?'],
  ['http://localhost:8545', ''],
  ['a-key-of-somebody', ''],
  [undefined, ''],
])('for %s the URL that was meant is "%s", without a path', (given, hint) => {
  expect(schemeHint(given)).toBe(hint)
})
