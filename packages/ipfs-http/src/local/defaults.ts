import { generateKeyPairSync } from 'node:crypto'

// Apart from the package's `defaults.ts`, which browsers load, too: this one needs Node.

/** Makes a new ed25519 public key of 32 bytes, whose secret nobody knows. Only this file of the folder uses randomness. */
export function randomPublicKey(): Uint8Array {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

/** Runs a function in the next turn of the event loop, after input and output that is due. */
export function onNextTurn(run: () => void): void {
  setImmediate(run)
}
