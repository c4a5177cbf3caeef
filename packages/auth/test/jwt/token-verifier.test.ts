import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createTokenVerifier,
  type JwtKey,
  parseJwtKeys,
  sha256Hex,
  type TokenVerifier,
  type TokenVerifierOptions,
} from '../../src/index.ts'
import { audience, createSigner, encode, goodClaims, type Signer, signHmac, signToken, today } from './tokens.ts'

const rsa = createSigner('RS256', 'rsa-1')
const ec = createSigner('ES256', 'ec-1')
const stranger = createSigner('RS256', 'rsa-1')
const keys = parseJwtKeys([rsa.entry, ec.entry])

const verifierOf = (options: Partial<TokenVerifierOptions> = {}): TokenVerifier =>
  createTokenVerifier({ audience, now: () => today, ...options })
const isRight = async (token: string, of: readonly JwtKey[] = keys): Promise<boolean> =>
  !('wrong' in (await verifierOf().verify(token, of)))

/** Splits a token, changes its parts, and puts it together. */
function retouch(token: string, change: (parts: [string, string, string]) => readonly string[]): string {
  return change(token.split('.') as [string, string, string]).join('.')
}

describe('a token', () => {
  test.each([rsa, ec])('that is signed with $alg is right', async (signer: Signer) => {
    const claims = { ...goodClaims, methods: ['eth_call'] }
    expect(await verifierOf().verify(signToken(signer, claims), keys)).toEqual({
      kid: signer.entry.kid,
      fingerprint: keys.find(({ kid }) => kid === signer.entry.kid)!.fingerprint,
      audience,
      leewayMs: 60_000,
      expiresAt: goodClaims.exp * 1_000 + 60_000,
      rules: { methods: new Set(['eth_call']), addresses: undefined, origins: undefined, userAgents: undefined },
    })
  })

  test('is right with an audience among several, a start that has come, and without a type', async () => {
    expect(await isRight(signToken(rsa, { ...goodClaims, aud: ['other', audience] }))).toBe(true)
    expect(await isRight(signToken(rsa, { ...goodClaims, nbf: today / 1_000 }))).toBe(true)
    expect(await isRight(signToken(rsa, goodClaims, { typ: undefined }))).toBe(true)
  })

  test.each([today, String(today), null])('is right whenever it was issued: iat %j', async (iat) => {
    expect(await isRight(signToken(rsa, { ...goodClaims, iat }))).toBe(true)
  })

  test.each<[string, Record<string, unknown>]>([
    ['has expired', { exp: today / 1_000 - 60 }],
    ['never expires', { exp: undefined }],
    ['expires at a text', { exp: String(goodClaims.exp) }],
    ['is not valid yet', { nbf: today / 1_000 + 61 }],
    ['starts at a text', { nbf: '0' }],
    ['starts at nothing', { nbf: null }],
    ['is meant for others', { aud: 'other' }],
    ['is meant for nobody', { aud: undefined }],
    ['is meant for part of the audience', { aud: [[audience]] }],
    ['carries a malformed allowlist', { methods: 'eth_call' }],
    ['carries more entries than a list may have', { methods: Array.from({ length: 31 }, () => 'eth_call') }],
  ])('that %s is wrong', async (_, claims) => {
    expect(await isRight(signToken(rsa, { ...goodClaims, ...claims }))).toBe(false)
  })

  test('that expires at a number beyond all is wrong', async () => {
    expect(await isRight(signToken(rsa, `{"aud":"${audience}","exp":1e999}`))).toBe(false)
  })

  test.each(['null', '[]', '"text"', '{', '\u0000', `{"aud":"${audience}","exp":`])(
    'whose payload is %j is wrong',
    async (payload) => {
      expect(await isRight(signToken(rsa, payload))).toBe(false)
    },
  )

  test('is judged by the audience of its project, also if another project with the same key found it right', async () => {
    const verifier = verifierOf()
    const token = signToken(rsa, { ...goodClaims, aud: 'shop' })
    expect(await verifier.verify(token, keys)).toHaveProperty('wrong')
    expect(await verifier.verify(token, keys, { audience: 'shop' })).toMatchObject({ audience: 'shop' })
    expect(await verifier.verify(token, keys, { audience: 'bank' })).toHaveProperty('wrong')
    expect(await verifier.verify(token, keys)).toHaveProperty('wrong')
    // The cache kept it for its own audience.
    expect(verifier.verify(token, keys, { audience: 'shop' })).toMatchObject({ audience: 'shop' })
  })

  test('gets the leeway that the clocks of issuers need: a minute, or that of its project', async () => {
    const verifier = verifierOf()
    const at = (claims: object, leewayMs?: number) =>
      verifier.verify(signToken(rsa, { ...goodClaims, ...claims }), keys, { leewayMs })
    expect(await at({ exp: today / 1_000 - 59 })).toMatchObject({ expiresAt: today + 1_000 })
    expect(await at({ exp: today / 1_000 - 60 })).toEqual({ wrong: 'it expired 60 s ago (exp); the leeway is 60 s' })
    expect(await at({ nbf: today / 1_000 + 60 })).toHaveProperty('expiresAt')
    expect(await at({ nbf: today / 1_000 + 75 })).toEqual({
      wrong: 'it is not valid for another 75 s (nbf); the leeway is 60 s',
    })
    expect(await at({ exp: today / 1_000 - 4 }, 5_000)).toMatchObject({ expiresAt: today + 1_000 })
    expect(await at({ exp: today / 1_000 - 5 }, 5_000)).toHaveProperty('wrong')
    expect(await at({ nbf: today / 1_000 + 6 }, 5_000)).toHaveProperty('wrong')
    // A token that one project found right is judged anew with the leeway of another.
    expect(await at({ exp: today / 1_000 - 59 }, 0)).toEqual({ wrong: 'it expired 59 s ago (exp); the leeway is 0 s' })
    expect(await at({ exp: today / 1_000 + 1 }, 0)).toMatchObject({ leewayMs: 0, expiresAt: today + 1_000 })
  })

  test.each(['exp', 'nbf'])('whose %s is in milliseconds is wrong, in a sentence that says so', async (name) => {
    const claims = { ...goodClaims, [name]: today + 3_600_000 }
    expect(await verifierOf().verify(signToken(rsa, claims), keys)).toEqual({
      wrong: 'its exp or nbf is after the year 9999: they count seconds, not milliseconds',
    })
  })

  test.each<[string, string, Record<string, unknown>]>([
    ['aud', 'its aud is not the audience of the project', { aud: 's3cret' }],
    ['lists', 'a list among its claims has another form than rules have', { methods: 's3cret' }],
  ])('that is wrong by its %s says so, and nothing that it holds', async (_, wrong, claims) => {
    expect(await verifierOf().verify(signToken(rsa, { ...goodClaims, ...claims }), keys)).toEqual({ wrong })
  })
})

describe('an attack by a token', () => {
  const good = signToken(rsa, goodClaims)
  const pem = rsa.entry.pem
  const publicJwk = (signer: Signer) => signer.privateKey.export({ format: 'jwk' })
  const { n, e } = publicJwk(stranger)

  test.each<[string, () => string]>([
    ['algorithm none, no signature', () => `${encode({ alg: 'none', kid: 'rsa-1' })}.${encode(goodClaims)}.`],
    ['algorithm none, some signature', () => `${encode({ alg: 'none', kid: 'rsa-1' })}.${encode(goodClaims)}.AAAA`],
    ['algorithm nOnE', () => retouch(good, ([, p, s]) => [encode({ alg: 'nOnE', kid: 'rsa-1' }), p, s])],
    ['the signature cut off', () => retouch(good, ([h, p]) => [h, p, ''])],
    ['two parts', () => retouch(good, ([h, p]) => [h, p])],
    ['four parts', () => retouch(good, ([h, p, s]) => [h, p, s, s])],
    ['five parts, as of an encrypted token', () => retouch(good, ([h, p, s]) => [h, p, s, p, s])],
    ['HS256 with the public key as its secret', () => signHmac(pem, goodClaims, { alg: 'HS256', kid: 'rsa-1' })],
    ['HS256 with the trimmed public key', () => signHmac(pem.trim(), goodClaims, { alg: 'HS256', kid: 'rsa-1' })],
    ['RS256 in its header, HMAC as its signature', () => signHmac(pem, goodClaims, { alg: 'RS256', kid: 'rsa-1' })],
    ['HS256 with an empty secret', () => signHmac('', goodClaims, { alg: 'HS256', kid: 'rsa-1' })],
    ['ES256 with the kid of an RSA key', () => signToken(ec, goodClaims, { kid: 'rsa-1' })],
    ['RS256 with the kid of an EC key', () => signToken(rsa, goodClaims, { kid: 'ec-1' })],
    ['RS512 in the header', () => signToken(rsa, goodClaims, { alg: 'RS512' })],
    ['PS256 in the header', () => signToken(rsa, goodClaims, { alg: 'PS256' })],
    ['another key under the same kid', () => signToken(stranger, goodClaims)],
    ['an unknown kid', () => signToken(rsa, goodClaims, { kid: 'rsa-2' })],
    ['no kid', () => signToken(rsa, goodClaims, { kid: undefined })],
    ['a kid that is a path', () => signToken(rsa, goodClaims, { kid: '../../dev/null' })],
    ['a kid of another type', () => signToken(rsa, goodClaims, { kid: ['rsa-1'] })],
    ['a key of its own in jwk', () => signToken(stranger, goodClaims, { jwk: { kty: 'RSA', n, e } })],
    ['its own right key in jwk', () => signToken(rsa, goodClaims, { jwk: { kty: 'RSA' } })],
    ['an address of keys in jku', () => signToken(rsa, goodClaims, { jku: 'https://evil.test/keys' })],
    ['an address of certificates in x5u', () => signToken(rsa, goodClaims, { x5u: 'https://evil.test/cert' })],
    ['certificates in x5c', () => signToken(rsa, goodClaims, { x5c: ['MIIB'] })],
    ['a critical extension', () => signToken(rsa, goodClaims, { crit: ['exp'], exp: 1 })],
    ['an empty list of critical extensions', () => signToken(rsa, goodClaims, { crit: [] })],
    ['an unencoded payload (RFC 7797)', () => signToken(rsa, goodClaims, { b64: false, crit: ['b64'] })],
    ['a compressed payload', () => signToken(rsa, goodClaims, { zip: 'DEF' })],
    ['another type of token', () => signToken(rsa, goodClaims, { typ: 'at+jwt' })],
    ['a type that is no text', () => signToken(rsa, goodClaims, { typ: null })],
    ['other claims under the signature', () => retouch(good, ([h, , s]) => [h, encode({ ...goodClaims, x: 1 }), s])],
    [
      'another header under the signature',
      () => retouch(good, ([, p, s]) => [encode({ alg: 'RS256', kid: 'rsa-1', x: 1 }), p, s]),
    ],
    ['a signature of zeros', () => retouch(good, ([h, p]) => [h, p, Buffer.alloc(256).toString('base64url')])],
    [
      'an ES256 signature of zeros',
      () => retouch(signToken(ec, goodClaims), ([h, p]) => [h, p, Buffer.alloc(64).toString('base64url')]),
    ],
    ['an ES256 signature in DER', () => resigned(ec.privateKey, 'der')],
    ['a signature with a byte more', () => retouch(good, ([h, p, s]) => [h, p, `${s}AA`])],
    ['a signature with a byte less', () => retouch(good, ([h, p, s]) => [h, p, s.slice(0, -4)])],
    ['padding', () => `${good}==`],
    ['the alphabet of plain base64', () => retouch(good, ([h, p, s]) => [h, p, `+/${s.slice(2)}`])],
    ['a space within', () => retouch(good, ([h, p, s]) => [h, ` ${p}`, s])],
    ['a line break at its end', () => `${good}\n`],
    ['a header that is no JSON', () => retouch(good, ([, p, s]) => [encode('{"alg":"RS256",'), p, s])],
    ['a header that is a list', () => retouch(good, ([, p, s]) => [encode(['RS256']), p, s])],
    ['a header that is null', () => retouch(good, ([, p, s]) => [encode(null), p, s])],
    [
      'a header in broken UTF-8',
      () => retouch(good, ([, p, s]) => [Buffer.from([0x22, 0xff]).toString('base64url'), p, s]),
    ],
    [
      'members from a prototype',
      () => retouch(good, ([, p, s]) => [encode('{"__proto__":{"alg":"RS256","kid":"rsa-1"}}'), p, s]),
    ],
    [
      'JSON in the place of the compact form',
      () => JSON.stringify({ payload: encode(goodClaims), signatures: [{ protected: 'x', signature: 'y' }] }),
    ],
    ['nothing', () => ''],
    ['more than 8,192 characters', () => signToken(rsa, { ...goodClaims, x: 'x'.repeat(8_192) })],
  ])('with %s fails', async (_, forge) => {
    expect(await isRight(forge())).toBe(false)
    expect(await isRight(good)).toBe(true)
  })

  function resigned(privateKey: KeyObject, dsaEncoding: 'der'): string {
    return retouch(signToken(ec, goodClaims), ([h, p]) => {
      const signature = sign('sha256', Buffer.from(`${h}.${p}`), { key: privateKey, dsaEncoding })
      return [h, p, signature.toString('base64url')]
    })
  }

  test('with the algorithm of another curve fails', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    expect(await isRight(signToken({ ...ec, privateKey }, goodClaims))).toBe(false)
  })

  test('that chooses an algorithm which is not its key’s fails before a signature is looked at', () => {
    expect(verifierOf().verify(signToken(ec, goodClaims, { kid: 'rsa-1' }), keys)).toHaveProperty('wrong')
    expect(verifierOf().verify(signToken(rsa, goodClaims, { alg: 'HS256' }), keys)).toHaveProperty('wrong')
  })

  test('against a project without keys fails', async () => {
    expect(await isRight(good, [])).toBe(false)
  })
})

describe('a verified token', () => {
  const token = signToken(ec, goodClaims)

  test('is known the second time, and the answer comes at once', async () => {
    const verifier = verifierOf()
    const first = verifier.verify(token, keys)
    expect(first).toBeInstanceOf(Promise)
    expect(verifier.verify(token, keys)).toBe(first)
    const found = await first
    expect(found).toBeDefined()
    expect(verifier.verify(token, keys)).toBe(found)
  })

  test('is wrong once it has expired', async () => {
    let now = today
    const verifier = verifierOf({ now: () => now })
    expect(await verifier.verify(token, keys)).toHaveProperty('expiresAt')
    now = goodClaims.exp * 1_000 + 60_000
    expect(verifier.verify(token, keys)).toHaveProperty('wrong')
    expect(await verifier.verify(token, keys)).toHaveProperty('wrong')
  })

  test('is wrong once its key is gone, or another took its name', async () => {
    const verifier = verifierOf()
    expect(await verifier.verify(token, keys)).toHaveProperty('expiresAt')
    expect(
      await verifier.verify(
        token,
        keys.filter(({ alg }) => alg === 'RS256'),
      ),
    ).toHaveProperty('wrong')
    const replaced = parseJwtKeys([createSigner('ES256', 'ec-1').entry])
    expect(await verifier.verify(token, replaced)).toHaveProperty('wrong')
    expect(verifier.verify(token, keys)).not.toBeInstanceOf(Promise)
  })

  test('gives way to newer ones, and is then checked again', async () => {
    const verifier = verifierOf({ maxTokens: 2 })
    const tokens = [0, 1, 2].map((serial) => signToken(ec, { ...goodClaims, serial }))
    for (const each of tokens) expect(await verifier.verify(each, keys)).toHaveProperty('expiresAt')
    const atOnce = tokens.map((each) => !(verifier.verify(each, keys) instanceof Promise))
    expect(atOnce).toEqual([false, true, true])
  })

  test('is kept by its digest; wrong ones are not kept', async () => {
    const digested: string[] = []
    const verifier = verifierOf({
      sha256(text) {
        digested.push(text)
        return sha256Hex(text)
      },
    })
    const wrong = signToken(ec, { ...goodClaims, aud: 'other' })
    expect(await verifier.verify(wrong, keys)).toHaveProperty('wrong')
    expect(verifier.verify(wrong, keys)).toBeInstanceOf(Promise)
    expect(digested).toEqual([wrong, wrong])
  })
})

test('signatures of one key are checked one after the other, and those of another key meanwhile', async () => {
  const { subtle } = crypto
  let running = 0
  const seen: number[] = []
  const verify = subtle.verify.bind(subtle)
  const spy = vi.spyOn(subtle, 'verify').mockImplementation(async (...asked) => {
    seen.push(++running)
    await new Promise((resolve) => void setImmediate(resolve))
    return verify(...asked).finally(() => running--)
  })
  onTestFinished(() => spy.mockRestore())
  const verifier = verifierOf()
  const tokens = [rsa, ec].flatMap((signer) => [1, 2, 3, 4].map((jti) => signToken(signer, { ...goodClaims, jti })))
  const found = await Promise.all(tokens.map((token) => verifier.verify(token, keys)))
  expect(found.every((token) => token !== undefined)).toBe(true)
  expect([seen.length, Math.max(...seen)]).toEqual([8, 2])
})

test('a key that the platform cannot read is the operator’s error, not the caller’s', async () => {
  const point = Buffer.from(ec.entry.pem.split('\n').slice(1, -2).join(''), 'base64')
  // A point that is not on the curve has the form of one.
  point.fill(1, point.length - 64)
  const pem = `-----BEGIN PUBLIC KEY-----\n${point.toString('base64')}\n-----END PUBLIC KEY-----\n`
  const broken = parseJwtKeys([{ kid: 'ec-1', pem }])
  await expect(verifierOf().verify(signToken(ec, goodClaims), broken)).rejects.toMatchObject({
    name: 'AuthError',
    code: 'invalid_jwt_key',
    message: 'the JWT key "ec-1" cannot be used: upload it again',
  })
})
