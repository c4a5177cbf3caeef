import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A pair of keys for JWTs: the public one as it is configured, the private one to sign with. */
export interface TokenSigner {
  readonly id: string
  readonly pem: string
  readonly privateKey: KeyObject
}

export function createTokenSigner(): TokenSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { id: 'ec-1', pem: publicKey.export({ type: 'spki', format: 'pem' }) as string, privateKey }
}

/** Signs a JWT by hand; it has an hour to live unless the claims say otherwise. */
export function signToken({ id, privateKey }: TokenSigner, claims: Readonly<Record<string, unknown>> = {}): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const input = `${encode({ alg: 'ES256', typ: 'JWT', kid: id })}.${encode({ aud: 'wayleave', exp, ...claims })}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}
