import { createPublicKey, randomBytes } from 'node:crypto'

const kid = 'slow'
/** The longest key that a project may have. */
const bytes = 8_192 / 8
/** The greatest exponent that it may have: the slowest to verify with. */
const exponent = Buffer.from([0xff, 0xff, 0xff, 0xff])

/** Makes the slowest RSA key that a project may have. Nobody needs its private part, since no token is signed. */
export function jwtKey(): { readonly id: string; readonly pem: string } {
  const modulus = randomBytes(bytes)
  modulus[0]! |= 0x80
  modulus[bytes - 1]! |= 1
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }
  return { id: kid, pem: String(createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })) }
}

/** Prints a token of that key whose signature is wrong, which takes as long to find out as that it is right. */
export function forgedToken(id: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signature = randomBytes(bytes)
  signature[0] = 0
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const claims = { aud: 'wayleave', exp, jti: String(id) }
  return `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(claims)}.${signature.toString('base64url')}`
}
