/** An id that nobody can guess, as geth prints it: 16 random bytes as a hex quantity, without leading zeros. */
export function newSubscriptionId(randomBytes: (count: number) => Uint8Array): string {
  const digits = Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `0x${digits.replace(/^0{1,31}/, '')}`
}
