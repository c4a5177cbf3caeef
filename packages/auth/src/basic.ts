import { hasControls } from './key-format.ts'
import { AuthError } from './error.ts'

/** The two halves of HTTP Basic credentials; either may be empty. */
export interface BasicCredentials {
  readonly user: string
  readonly password: string
}

const form = /^basic +([A-Za-z0-9+/]+={0,2})$/i
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads the value of an `Authorization` header (RFC 7617, UTF-8; the scheme in any case, padding optional).
 * Undefined for another scheme and for malformed values.
 */
export function parseBasic(authorization: string): BasicCredentials | undefined {
  const encoded = form.exec(authorization)?.[1]
  const text = encoded === undefined ? undefined : decode(encoded)
  if (text === undefined || hasControls(text)) return undefined
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * Prints the value of an `Authorization` header (RFC 7617, UTF-8).
 * @throws AuthError `invalid_credentials` for a colon in `user` or a control character in either.
 */
export function printBasic(user: string, password: string): string {
  if (user.includes(':')) throw new AuthError('invalid_credentials', 'the user of HTTP Basic cannot hold a colon')
  if (hasControls(user) || hasControls(password)) {
    throw new AuthError('invalid_credentials', 'the user and password of HTTP Basic cannot hold control characters')
  }
  const bytes = encoder.encode(`${user}:${password}`)
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}

function decode(encoded: string): string | undefined {
  try {
    const binary = atob(encoded)
    // Nearly all credentials are ASCII, which needs no decoding.
    if (!/[\x80-\xff]/.test(binary)) return binary
    return decoder.decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)))
  } catch {
    return undefined
  }
}
