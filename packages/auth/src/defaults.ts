/** Returns `count` random bytes of the platform's secure generator. */
export function systemRandomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}

/** Returns the wall clock in milliseconds since 1970-01-01T00:00Z. */
export function systemNow(): number {
  return Date.now()
}
