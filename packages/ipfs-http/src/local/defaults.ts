import { generateKeyPairSync } from 'node:crypto'

// Apart from the package's `defaults.ts`, which browsers load, too: this one needs Node.

/** A new ed25519 public key, 32 bytes; nobody knows its secret. This file alone touches randomness. */
export function randomPublicKey(): Uint8Array {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}
