import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { AuthError } from '../error.ts'

/** The algorithms that a JWT may be signed with (RFC 7518 §3.3, §3.4). */
export type JwtAlgorithm = 'RS256' | 'ES256'

/** A public key as a person uploads it. */
export interface JwtKeyEntry {
  /** The name that the `kid` of a token gives. Default: the first 32 hex digits of the key's SHA-256. */
  readonly kid?: string
  /** `-----BEGIN PUBLIC KEY-----` (SPKI): RSA of 2,048 to 8,192 bits with a public exponent of at most 32, or EC on P-256. */
  readonly pem: string
  /** A person's name for the key. */
  readonly label?: string | undefined
}

/** A checked public key of a project. */
export interface JwtKey {
  readonly kid: string
  /** Follows from the key, so that a token cannot choose how it is read. */
  readonly alg: JwtAlgorithm
  readonly pem: string
  /** Base64 of the SHA-256 of the DER public key. */
  readonly fingerprint: string
  readonly label?: string
}

/** Most keys of a project: one in use, one to come, one to go. */
export const maxJwtKeys = 3

const pemStart = '-----BEGIN PUBLIC KEY-----'
const pemEnd = '-----END PUBLIC KEY-----'
const kidForm = /^[\w.:-]{1,128}$/
// The AlgorithmIdentifiers of RFC 8017 §A.1 and of RFC 5480 §2.1.1 with P-256, in DER.
const rsaIdentifier = '300d06092a864886f70d0101010500'
const p256Identifier = '301306072a8648ce3d020106082a8648ce3d030107'

/**
 * Checks the JWT keys of a project.
 * @throws AuthError `invalid_jwt_key`
 */
export function parseJwtKeys(entries: readonly JwtKeyEntry[]): readonly JwtKey[] {
  if (entries.length > maxJwtKeys) throw invalid(`expected at most ${maxJwtKeys} JWT keys, got ${entries.length}`)
  const keys = entries.map(parseJwtKey)
  const twice = keys.find((key, i) => keys.findIndex(({ kid }) => kid === key.kid) !== i)
  if (twice !== undefined) throw invalid(`two JWT keys have the kid "${twice.kid}": give each its own`)
  return keys
}

/**
 * Checks a public key, and finds its algorithm and its fingerprint.
 * @throws AuthError `invalid_jwt_key`, without the text that came: it could be a private key.
 */
export function parseJwtKey({ kid, pem, label }: JwtKeyEntry): JwtKey {
  const der = derOf(pem)
  const digest = sha256(der)
  const name = kid ?? bytesToHex(digest).slice(0, 32)
  if (!kidForm.test(name)) throw invalid('the kid of a JWT key is 1 to 128 characters of A-Z a-z 0-9 _ . : -')
  const fingerprint = btoa(String.fromCharCode(...digest))
  return { kid: name, alg: algorithmOf(der), pem, fingerprint, ...(label === undefined ? {} : { label }) }
}

function derOf(pem: string): Uint8Array {
  if (pem.includes('PRIVATE KEY')) {
    throw invalid(
      'a private key came: upload the public one only (openssl pkey -in private.pem -pubout), and replace this key',
    )
  }
  const advice = `expected a public key in PEM, "${pemStart}"; openssl x509 -pubkey -noout gets it from a certificate`
  const text = pem.trim()
  if (pem.length > 8_192 || !text.startsWith(pemStart) || !text.endsWith(pemEnd)) throw invalid(advice)
  try {
    return Uint8Array.from(atob(text.slice(pemStart.length, -pemEnd.length)), (character) => character.charCodeAt(0))
  } catch {
    throw invalid(advice)
  }
}

/** Reads SubjectPublicKeyInfo (RFC 5280 §4.1): a sequence of the algorithm and a bit string. */
function algorithmOf(der: Uint8Array): JwtAlgorithm {
  const outer = headerAt(der, 0)
  if (outer?.tag === 0x30 && outer.end === der.length) {
    const hex = bytesToHex(der.subarray(outer.start))
    if (hex.startsWith(p256Identifier)) {
      // 04 and two coordinates: the form that every implementation reads.
      if (hex.length === p256Identifier.length + 2 * 68 && hex.startsWith('03420004', p256Identifier.length))
        return 'ES256'
      throw invalid('an EC key of a JWT is an uncompressed point')
    }
    if (hex.startsWith(rsaIdentifier)) {
      const sizes = rsaBits(der, outer.start + rsaIdentifier.length / 2)
      if (sizes === undefined) throw invalid('the RSA key is damaged')
      const { modulus: bits, exponent } = sizes
      if (bits < 2_048 || bits > 8_192) throw invalid(`an RSA key of a JWT has 2,048 to 8,192 bits, got ${bits}`)
      // A longer one makes each check of a signature up to forty times as slow.
      if (exponent > 32)
        throw invalid(`the public exponent of an RSA key of a JWT has at most 32 bits, got ${exponent}`)
      return 'RS256'
    }
  }
  throw invalid('expected an RSA key (RS256) or an EC key on P-256 (ES256)')
}

/** Reads the sizes in bits from the bit string at `at` that holds an RSAPublicKey (RFC 8017 §A.1.1). */
function rsaBits(der: Uint8Array, at: number): { readonly modulus: number; readonly exponent: number } | undefined {
  const bitString = headerAt(der, at)
  if (bitString?.tag !== 0x03 || bitString.end !== der.length || der[bitString.start] !== 0) return undefined
  const sequence = headerAt(der, bitString.start + 1)
  if (sequence?.tag !== 0x30 || sequence.end !== der.length) return undefined
  const first = headerAt(der, sequence.start)
  const second = first && headerAt(der, first.end)
  if (second?.end !== der.length) return undefined
  const modulus = bitsOf(der, first)
  const exponent = bitsOf(der, second)
  return modulus === undefined || exponent === undefined ? undefined : { modulus, exponent }
}

/** Reads the size of a positive INTEGER; undefined for anything else. */
function bitsOf(der: Uint8Array, value: ReturnType<typeof headerAt>): number | undefined {
  if (value?.tag !== 0x02) return undefined
  let { start } = value
  while (start < value.end && der[start] === 0) start++
  return start === value.end ? undefined : (value.end - start) * 8 - Math.clz32(der[start]!) + 24
}

/** Reads tag and length of the DER value at `at`; undefined where it would not end within `der`. */
function headerAt(der: Uint8Array, at: number): { tag: number; start: number; end: number } | undefined {
  const tag = der[at]
  const first = der[at + 1]
  if (tag === undefined || first === undefined) return undefined
  let start = at + 2
  let length = first
  if (first >= 0x80) {
    length = 0
    const size = first & 0x7f
    if (size < 1 || size > 2) return undefined
    for (const byte of der.subarray(start, start + size)) length = (length << 8) | byte
    start += size
  }
  return start + length > der.length ? undefined : { tag, start, end: start + length }
}

function invalid(message: string): AuthError {
  return new AuthError('invalid_jwt_key', message)
}
