import type { JwtAlgorithm } from './jwt-key.ts'
import { hasRepeatedMember } from './repeated-member.ts'

/** The members of a JWS header that choose the key. */
export interface TokenHeader {
  readonly alg: JwtAlgorithm
  readonly kid: string
}

/** Members by which a token would bring its own key, or ask for rules that nobody here knows. */
const refused = ['crit', 'jwk', 'jku', 'x5u', 'x5c', 'b64', 'zip', 'enc'] as const

/** Base64url without padding, whose last character has no bits that decoders drop: else one token would have several spellings. */
const canonical = /^(?:[\w-]{4})*(?:[\w-]{4}|[\w-]{2}[AEIMQUYcgkosw048]|[\w-][AQgw])$/

/**
 * Reads the header of a JWT in compact form (RFC 7515 §7.1), before anything is verified. Undefined for another algorithm than RS256 and
 * ES256, without a `kid`, where the token brings a key or an extension, a member stands twice, or its base64url has another spelling.
 */
export function readTokenHeader(token: string): TokenHeader | undefined {
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every((part) => canonical.test(part))) return undefined
  const header = decode(parts[0]!)
  if (header === undefined || refused.some((name) => Object.hasOwn(header, name))) return undefined
  const { alg, kid, typ = 'JWT' } = header
  if (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT') return undefined
  if ((alg !== 'RS256' && alg !== 'ES256') || typeof kid !== 'string') return undefined
  return { alg, kid }
}

/** Reads the token of an `Authorization` header (RFC 6750 §2.1); undefined for another scheme, empty for Bearer without a token. */
export function parseBearer(authorization: string): string | undefined {
  const parts = /^bearer(?:$| +(.*)$)/i.exec(authorization)
  return parts === null ? undefined : (parts[1] ?? '')
}

function decode(encoded: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (hasRepeatedMember(text)) return undefined
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
