import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A pair of keys for JWTs: the public one as it is configured, the private one to sign with. */
export interface TokenSigner {
  readonly entry: { readonly id: string; readonly pem: string }
  readonly alg: 'RS256' | 'ES256'
  readonly privateKey: KeyObject
}

export function createTokenSigner(alg: 'RS256' | 'ES256', id: string): TokenSigner {
  const { publicKey, privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { entry: { id, pem: publicKey.export({ type: 'spki', format: 'pem' }) as string }, alg, privateKey }
}

/** Signs a JWT by hand. Claims: an hour to live, for the usual audience, unless they are given. */
export function signToken(
  { entry, alg, privateKey }: TokenSigner,
  claims: Readonly<Record<string, unknown>> = {},
): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const input = `${encode({ alg, typ: 'JWT', kid: entry.id })}.${encode({ aud: 'wayleave', exp, ...claims })}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}
