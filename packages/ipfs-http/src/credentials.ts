/** The credentials of HTTP Basic without the word `Basic`: `user:password` as UTF-8, in base64. Source: RFC 7617. */
export function basicToken(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/**
 * Makes a function that replaces each secret in a text by `…`: a host may repeat what it was sent. Secrets of fewer than
 * `shortest` characters stay, because they also are parts of ordinary words.
 */
export function createRedactor(secrets: readonly (string | undefined)[], shortest: number): (text: string) => string {
  const known = new Set(secrets.filter((secret) => secret !== undefined && secret.length >= shortest))
  return (text) => [...known].reduce<string>((rest, secret) => rest.replaceAll(secret!, '…'), text)
}
