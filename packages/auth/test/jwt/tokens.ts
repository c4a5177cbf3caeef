import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { JwtKeyEntry } from '../../src/index.ts'

/** A pair of keys: the public one as a person uploads it, the private one to sign with. */
export interface Signer {
  readonly entry: JwtKeyEntry & { readonly kid: string }
  readonly privateKey: KeyObject
  readonly alg: 'RS256' | 'ES256'
}

export function createSigner(alg: 'RS256' | 'ES256', kid: string): Signer {
  const { publicKey, privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { entry: { kid, pem: publicKey.export({ type: 'spki', format: 'pem' }) as string }, privateKey, alg }
}

export const audience = 'wayleave.example'
/** The time of the tests in milliseconds since 1970. */
export const today = Date.UTC(2026, 10, 23)
export const goodClaims = { aud: audience, exp: today / 1_000 + 60 }

export function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

/** Signs by hand, since the attacks are tokens that a library refuses to make. */
export function signToken(
  { entry, privateKey, alg }: Signer,
  claims: unknown,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const input = `${encode({ alg, typ: 'JWT', kid: entry.kid, ...header })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

/** Signs with HMAC, taking any text as the secret. */
export function signHmac(secret: string, claims: unknown, header: Readonly<Record<string, unknown>>): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
