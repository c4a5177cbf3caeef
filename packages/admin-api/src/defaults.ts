/** The real defaults. Only this file of the package uses ambient chance and network. */
export const systemFetch: typeof fetch = (input, init) => fetch(input, init)

/** Returns `count` random bytes of the platform's secure generator, as hex. */
export function randomHex(count: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
}
