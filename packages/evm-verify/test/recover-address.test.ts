import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { recoverAddress } from '../src/recover-address.ts'

const key = Uint8Array.from({ length: 32 }, () => 7)

function signed(hash: Uint8Array) {
  const bytes = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' })
  const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, 'recovered')
  return { r, s, yParity: recovery as 0 | 1 }
}

test('an address that was recovered once holds for nothing but the same hash and signature', () => {
  const hash = Uint8Array.from({ length: 32 }, (_, i) => i)
  const other = hash.with(0, 1)
  const signature = signed(hash)
  const address = recoverAddress(signature, hash, false)
  expect(recoverAddress(signature, hash, false)).toBe(address)
  const parity = (1 - signature.yParity) as 0 | 1
  expect(recoverAddress({ ...signature, yParity: parity }, hash, false)).not.toBe(address)
  expect(recoverAddress({ ...signature, s: signature.s - 1n }, hash, false)).not.toBe(address)
  expect(recoverAddress(signature, other, false)).not.toBe(address)
  expect(recoverAddress(signed(other), other, false)).toBe(address)
})
