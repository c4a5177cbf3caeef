/** Real randomness. This file is the only place of the package that touches it. */
export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}
