// Attacks on JWS in the manner of Wycheproof's cases for JSON Web Signature, one test each; further ones stand in token-verifier.test.ts.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createTokenVerifier, type JwtKey, parseJwtKeys } from '../../src/index.ts'
import { hasRepeatedMember } from '../../src/jwt/repeated-member.ts'
import { readTokenHeader } from '../../src/jwt/token-header.ts'
import { rfcExamples } from './rfc7515.ts'
import { audience, createSigner, encode, goodClaims, signHmac, signToken, today } from './tokens.ts'

const rsa = createSigner('RS256', 'rsa-1')
const ec = createSigner('ES256', 'ec-1')
const keys = parseJwtKeys([rsa.entry, ec.entry])
const isRight = async (token: string, of: readonly JwtKey[] = keys): Promise<boolean> =>
  !('wrong' in (await createTokenVerifier({ audience, now: () => today }).verify(token, of)))

const pemOf = (jwk: object): string =>
  createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string

describe.each(rfcExamples)('the example of RFC 7515 for $alg', ({ alg, token, jwk }) => {
  const [header = '', payload = '', signature = ''] = token.split('.')

  test('is one: its signature fits its key', () => {
    const key = { key: createPublicKey({ key: jwk as never, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
    const input = Buffer.from(`${header}.${payload}`)
    expect(verify('sha256', input, key, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test('is wrong here, even at its time and under its key, since it names neither key nor audience', async () => {
    const of = parseJwtKeys([{ kid: 'rfc', pem: pemOf(jwk) }])
    expect(readTokenHeader(token)).toBeUndefined()
    const verifier = createTokenVerifier({ audience, now: () => 1_300_819_379_000 })
    expect(await verifier.verify(token, of)).toHaveProperty('wrong')
    const named = `${encode({ alg, kid: 'rfc' })}.${payload}.${signature}`
    expect(await verifier.verify(named, of)).toHaveProperty('wrong')
  })

  test.runIf(jwk['d'] !== undefined)('has a key that signs right tokens', async () => {
    const privateKey = createPrivateKey({ key: jwk as never, format: 'jwk' })
    const signer = { alg, privateKey, entry: { kid: 'rfc', pem: pemOf(jwk) } }
    expect(await isRight(signToken(signer, goodClaims), parseJwtKeys([signer.entry]))).toBe(true)
  })
})

/** The order of P-256 (FIPS 186-5). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const scalar = (value: bigint): string => value.toString(16).padStart(64, '0')
const withSignature = (token: string, bytes: Buffer): string =>
  [...token.split('.').slice(0, 2), bytes.toString('base64url')].join('.')

describe('an ES256 signature', () => {
  const token = signToken(ec, goodClaims)
  const bytes = Buffer.from(token.split('.')[2]!, 'base64url')
  const r = BigInt(`0x${bytes.subarray(0, 32).toString('hex')}`)
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)

  test.each<[string, bigint, bigint]>([
    ['r and s of zero (CVE-2022-21449)', 0n, 0n],
    ['r of zero', 0n, s],
    ['s of zero', r, 0n],
    ['r and s of one', 1n, 1n],
    ['the order as r and s', order, order],
    ['the order as s', r, order],
    ['the order as r', order, s],
    ['the order less one', order - 1n, order - 1n],
    ['the order and one', order + 1n, order + 1n],
    ['all bits set', 2n ** 256n - 1n, 2n ** 256n - 1n],
    ['r and s exchanged', s, r],
  ])('of %s is wrong', async (_what, first, second) => {
    expect(await isRight(withSignature(token, Buffer.from(scalar(first) + scalar(second), 'hex')))).toBe(false)
    expect(await isRight(token)).toBe(true)
  })

  test.each([0, 1, 32, 63, 65, 96, 132])('of %d bytes is wrong', async (length) => {
    const padded = Buffer.alloc(length)
    bytes.copy(padded)
    expect(await isRight(withSignature(token, padded))).toBe(false)
  })
})

describe('a header', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['rs256', { alg: 'rs256' }],
    ['RS256 with a space', { alg: 'RS256 ' }],
    ['a list', { alg: ['RS256'] }],
    ['nothing', { alg: '' }],
    ['null', { alg: null }],
    ['None', { alg: 'None' }],
    ['HS384', { alg: 'HS384' }],
    ['HS512', { alg: 'HS512' }],
    ['ES256K', { alg: 'ES256K' }],
    ['ES384', { alg: 'ES384' }],
    ['EdDSA', { alg: 'EdDSA' }],
    ['RS1', { alg: 'RS1' }],
  ])('whose algorithm is %s is wrong', async (_what, header) => {
    expect(await isRight(signToken(rsa, goodClaims, header))).toBe(false)
  })

  test.each([
    "rsa-1' OR '1'='1",
    'rsa-1\u0000',
    ' rsa-1',
    'RSA-1',
    '',
    '*',
    '__proto__',
    'constructor',
    'toString',
    '/dev/null',
    'file:///etc/passwd',
    'https://evil.test/keys#rsa-1',
    'r\u0455a-1',
    0,
    true,
    null,
    { toString: 'rsa-1' },
  ])('whose kid is %j is wrong', async (kid) => {
    expect(await isRight(signToken(rsa, goodClaims, { kid }))).toBe(false)
  })

  test.each(['crit', 'b64', 'jwk', 'jku', 'x5u', 'x5c', 'zip', 'enc'])(
    'with %s is wrong, whatever it says, before a signature is looked at',
    (name) => {
      for (const value of [null, false, true, '', [], {}, 'x']) {
        const token = signToken(rsa, goodClaims, { [name]: value })
        expect(createTokenVerifier({ audience, now: () => today }).verify(token, keys)).toHaveProperty('wrong')
      }
    },
  )

  test.each(['alg', 'kid', 'typ', 'x'])('in which %s stands twice is wrong', async (name) => {
    const members = { alg: 'RS256', typ: 'JWT', kid: 'rsa-1', x: '1' }
    const text = JSON.stringify(members)
    const escaped = `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":"no",`
    for (const first of [`"${name}":"no",`, escaped]) {
      const doubled = `{${first}${text.slice(1)}`
      expect(JSON.parse(doubled)).toEqual(members)
      expect(await isRight(signAs(doubled, JSON.stringify(goodClaims)))).toBe(false)
    }
    expect(await isRight(signAs(text, JSON.stringify(goodClaims)))).toBe(true)
  })
})

/** Signs a header and claims as they stand. */
function signAs(header: string, claims: string): string {
  const [, payload] = signToken(rsa, claims).split('.')
  const input = `${encode(header)}.${payload}`
  return `${input}.${sign('sha256', Buffer.from(input), rsa.privateKey).toString('base64url')}`
}

describe('claims', () => {
  test.each(['exp', 'nbf', 'aud', 'methods', 'sub'])('in which %s stands twice are wrong', async (name) => {
    const claims = { ...goodClaims, nbf: 0, methods: ['eth_call'], sub: 'x' }
    const text = JSON.stringify(claims)
    const value = JSON.stringify(claims[name as keyof typeof claims])
    expect(await isRight(signToken(rsa, text))).toBe(true)
    expect(await isRight(signToken(rsa, `{"${name}":${value},${text.slice(1)}`))).toBe(false)
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['exp as a text', { exp: String(goodClaims.exp) }],
    ['exp as a list', { exp: [goodClaims.exp] }],
    ['exp of null', { exp: null }],
    ['exp of true', { exp: true }],
    ['exp of zero', { exp: 0 }],
    ['a negative exp', { exp: -1 }],
    ['exp a millisecond before the leeway', { exp: (today - 60_001) / 1_000 }],
    ['nbf as a text', { nbf: String(today / 1_000 - 5) }],
    ['nbf of null', { nbf: null }],
    ['nbf beyond the leeway', { nbf: today / 1_000 + 61 }],
    ['an audience in another case', { aud: audience.toUpperCase() }],
    ['an audience with more behind it', { aud: `${audience}.evil.test` }],
    ['no audience in a list', { aud: [] }],
    ['an audience as an object', { aud: { [audience]: true } }],
  ])('of %s are wrong', async (_what, claims) => {
    expect(await isRight(signToken(rsa, { ...goodClaims, ...claims }))).toBe(false)
  })
})

describe('base64url', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

  test.each([rsa, ec])('of a signature ($alg) has one spelling: bits that decoders drop are wrong', async (signer) => {
    const token = signToken(signer, goodClaims)
    expect(await isRight(token)).toBe(true)
    const last = alphabet.indexOf(token.at(-1)!)
    const decoded = Buffer.from(token.split('.')[2]!, 'base64url').toString('hex')
    const spellings = [...alphabet].filter((_, i) => i !== last && i >> 4 === last >> 4)
    const twins = spellings.map((character) => token.slice(0, -1) + character)
    expect(twins.every((twin) => Buffer.from(twin.split('.')[2]!, 'base64url').toString('hex') === decoded)).toBe(true)
    expect(twins.length).toBeGreaterThan(0)
    for (const twin of twins) expect(await isRight(twin)).toBe(false)
  })

  test.each(['=', '==', '.', '\r\n', ' ', '%3D', '\u0000', '\u2028', 'é'])(
    'with %j behind it is wrong',
    async (more) => {
      for (const signer of [rsa, ec]) expect(await isRight(signToken(signer, goodClaims) + more)).toBe(false)
    },
  )

  test('of a length that no bytes have is wrong', () => {
    expect(readTokenHeader(`${encode({ alg: 'RS256', kid: 'k' })}.AAAA.AAAAA`)).toBeUndefined()
    expect(readTokenHeader(`${encode({ alg: 'RS256', kid: 'k' })}.AAAA.AAAA`)).toEqual({ alg: 'RS256', kid: 'k' })
  })
})

describe('a confusion of keys', () => {
  const der = createPublicKey(rsa.entry.pem).export({ type: 'spki', format: 'der' })
  const jwk = JSON.stringify(createPublicKey(rsa.entry.pem).export({ format: 'jwk' }))

  test.each<[string, string]>([
    ['the PEM', rsa.entry.pem],
    ['the PEM without its last line break', rsa.entry.pem.trimEnd()],
    ['the PEM with CRLF', rsa.entry.pem.replaceAll('\n', '\r\n')],
    ['the lines of the PEM', rsa.entry.pem.replaceAll(/-----.*-----|\n/g, '')],
    ['the DER', der.toString('latin1')],
    ['the JWK', jwk],
    ['the fingerprint', keys[0]!.fingerprint],
    ['the kid', 'rsa-1'],
  ])('%s as the secret of an HMAC is wrong', async (_what, secret) => {
    for (const alg of ['HS256', 'HS384', 'HS512', 'RS256', 'ES256']) {
      for (const kid of ['rsa-1', 'ec-1', undefined]) {
        expect(await isRight(signHmac(secret, goodClaims, { alg, kid }))).toBe(false)
      }
    }
  })
})

test('a huge token is wrong before anything of it is read', () => {
  let digested = 0
  const sha256 = (): string => {
    digested++
    return ''
  }
  const verifier = createTokenVerifier({ audience, now: () => today, sha256 })
  for (const length of [8_193, 1_000_000]) expect(verifier.verify('A'.repeat(length), keys)).toHaveProperty('wrong')
  expect(verifier.verify(`${'A'.repeat(3_000)}.${'{'.repeat(3_000)}.AAAA`, keys)).toHaveProperty('wrong')
  expect(digested).toBe(1)
})

test.each<[string, boolean]>([
  ['{}', false],
  ['{"a":1,"b":{"a":2,"c":[{"c":1}]},"c":"\\"a\\":"}', false],
  ['{"a":"b","b":"a"}', false],
  ['{"a":1 , "\\u0061" : 2}', true],
  ['{"a":[{"x":1}],"b":"}","a":1}', true],
  ['{"__proto__":1,"__proto__":2}', true],
  ['[{"a":1,"a":2}]', false],
])('a repeated member is found in %s: %j', (json, is) => {
  expect(hasRepeatedMember(json)).toBe(is)
})
