import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { AuthError, parseJwtKey, parseJwtKeys } from '../../src/index.ts'
import { createSigner } from './tokens.ts'

const pemOf = (publicKey: { export(o: { type: 'spki'; format: 'pem' }): string | Buffer }): string =>
  String(publicKey.export({ type: 'spki', format: 'pem' }))

function refusal(parse: () => unknown): AuthError {
  try {
    parse()
  } catch (error) {
    if (error instanceof AuthError) return error
  }
  throw new Error('an AuthError was expected')
}

test.each(['RS256', 'ES256'] as const)('a key for %s tells its algorithm and its fingerprint', (alg) => {
  const { entry } = createSigner(alg, 'mine')
  const der = createPublicKey(entry.pem).export({ type: 'spki', format: 'der' })
  const digest = createHash('sha256').update(der)
  const fingerprint = digest.copy().digest('base64')
  expect(parseJwtKey({ ...entry, label: 'ci' })).toEqual({ kid: 'mine', alg, pem: entry.pem, fingerprint, label: 'ci' })
  expect(parseJwtKey({ pem: entry.pem }).kid).toBe(digest.digest('hex').slice(0, 32))
  expect(parseJwtKey({ pem: `\n  ${entry.pem.replaceAll('\n', '\r\n')} ` }).fingerprint).toBe(fingerprint)
})

test('RSA keys of 2,048 to 8,192 bits fit', () => {
  expect(refusal(() => parseJwtKey({ pem: pemOf(rsaOf(1_024)) })).message).toContain('got 1024')
  expect(refusal(() => parseJwtKey({ pem: pemOf(rsaOf(2_040)) })).message).toContain('got 2040')
  expect(parseJwtKey({ pem: pemOf(rsaOf(2_056)) }).alg).toBe('RS256')
})

test('an RSA key has a public exponent of at most 32 bits, since a longer one makes each check slow', () => {
  const ofExponent = (e: Uint8Array): string =>
    pemOf(
      createPublicKey({
        key: { ...rsaOf(2_048).export({ format: 'jwk' }), e: Buffer.from(e).toString('base64url') },
        format: 'jwk',
      }),
    )
  expect(parseJwtKey({ pem: ofExponent(new Uint8Array(4).fill(0xff)) }).alg).toBe('RS256')
  expect(refusal(() => parseJwtKey({ pem: ofExponent(new Uint8Array(5).fill(1)) })).message).toContain('got 33')
  expect(refusal(() => parseJwtKey({ pem: ofExponent(new Uint8Array(255).fill(0xff)) })).message).toContain('got 2040')
})

function rsaOf(modulusLength: number) {
  return generateKeyPairSync('rsa', { modulusLength }).publicKey
}

describe('a key is refused if it', () => {
  const good = createSigner('ES256', 'k').entry.pem
  test.each<[string, () => string]>([
    ['is empty', () => ''],
    ['is no PEM', () => 'ssh-rsa AAAA'],
    ['is a certificate', () => good.replaceAll('PUBLIC KEY', 'CERTIFICATE')],
    ['is in PKCS#1', () => String(rsaOf(2_048).export({ type: 'pkcs1', format: 'pem' }))],
    ['holds no base64', () => good.replace('MF', '!!')],
    ['is cut off', () => good.replace(/.{20}\n-----END/, '\n-----END')],
    ['holds more after its end', () => pemWith(good, (der) => Buffer.concat([der, Buffer.from([0])]))],
    ['is two keys', () => good + good],
    ['is on another curve', () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey)],
    ['is of another kind', () => pemOf(generateKeyPairSync('ed25519').publicKey)],
    ['is RSA-PSS', () => pemOf(generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).publicKey)],
    ['has a compressed point', () => pemWith(good, (der) => der.fill(3, 26, 27))],
    ['is longer than any', () => `-----BEGIN PUBLIC KEY-----\n${'A'.repeat(9_000)}\n-----END PUBLIC KEY-----`],
  ])('%s', (_, pem) => {
    expect(refusal(() => parseJwtKey({ pem: pem() }))).toMatchObject({ name: 'AuthError', code: 'invalid_jwt_key' })
  })

  test('is the private one, without repeating it', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const error = refusal(() => parseJwtKey({ pem }))
    expect(error.message).toContain('openssl pkey')
    expect(inspect(error)).not.toContain(pem.split('\n')[1])
  })

  test('has a name that no log could print, or one that another has, or is one too many', () => {
    expect(refusal(() => parseJwtKey({ kid: 'a b', pem: good })).message).toContain('kid')
    expect(refusal(() => parseJwtKeys([{ pem: good }, { pem: good }])).message).toContain('two JWT keys')
    const four = ['a', 'b', 'c', 'd'].map((kid) => ({ kid, pem: good }))
    expect(parseJwtKeys(four.slice(1))).toHaveLength(3)
    expect(refusal(() => parseJwtKeys(four)).message).toBe('expected at most 3 JWT keys, got 4')
  })
})

function pemWith(pem: string, change: (der: Buffer) => Buffer): string {
  const der = change(Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64'))
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
}
