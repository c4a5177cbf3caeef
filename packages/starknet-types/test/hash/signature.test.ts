import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { publicKeyOf, sign, transactionHash, verifySignature } from '../../src/hash/index.ts'
import { encodeShortString } from '../../src/short-string.ts'
import { vectors } from './vectors.ts'

const curveOrder = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn
const hexOf = (number: bigint): string => `0x${number.toString(16)}`

const privateKey = '0x139fe4d6f02e666e86a6f58e65060f115cd3c185bd9e98bd829636931458f79'
const publicKey = publicKeyOf(privateKey)
const hash = '0x6fea80189363a786037ed3e7ba546dad0ef7de49fccae0e31eb658b7dd4ea76'
const signature = sign(hash, privateKey)
const valid = { hash, publicKey, signature }

describe('a signature', () => {
  test('of the key for the hash verifies', () => {
    expect(verifySignature(valid)).toBe(true)
    expect(verifySignature({ ...valid, publicKey: `0x0${publicKey.slice(2).toUpperCase()}` })).toBe(true)
  })

  test('that an account put on a real transaction verifies with the key in its constructor', () => {
    const deployed = vectors.find(({ tx }) => tx.type === 'DEPLOY_ACCOUNT' && tx.version === '0x1')!
    const calldata = deployed.feeder['constructor_calldata'] as string[]
    const real = {
      hash: transactionHash(deployed.tx, encodeShortString(deployed.chain)),
      publicKey: calldata[3]!,
      signature: deployed.feeder['signature'] as string[],
    }
    expect(verifySignature(real)).toBe(true)
    expect(verifySignature({ ...real, publicKey: calldata[0]! })).toBe(false)
  })

  test('verifies for hashes of every length', () => {
    for (const digits of [1, 2, 61, 62, 63]) {
      const short = `0x${'7'.repeat(digits)}`
      expect(verifySignature({ hash: short, publicKey, signature: sign(short, privateKey) }), `${digits}`).toBe(true)
    }
  })

  test('is the same each time', () => {
    expect(sign(hash, privateKey)).toEqual(signature)
  })

  test('verifies with its negative s, too, as accounts accept it', () => {
    const [r, s] = signature
    expect(verifySignature({ ...valid, signature: [r, hexOf(curveOrder - BigInt(s))] })).toBe(true)
  })

  test.each([
    ['another hash', { hash: hexOf(BigInt(hash) ^ 1n) }],
    ['another key', { publicKey: publicKeyOf('0x2') }],
    ['r and s the other way round', { signature: signature.toReversed() }],
    ['a hash of 2^251', { hash: hexOf(2n ** 251n) }],
    ['no point of that x-coordinate', { publicKey: '0x0' }],
    ['r of zero', { signature: ['0x0', signature[1]] }],
    ['r of zero for the hash 0', { hash: '0x0', signature: ['0x0', '0x1'] }],
    ['s of zero', { signature: [signature[0], '0x0'] }],
    ['r raised by the order', { signature: [hexOf(BigInt(signature[0]) + curveOrder), signature[1]] }],
    ['s raised by the order', { signature: [signature[0], hexOf(BigInt(signature[1]) + curveOrder)] }],
    ['the order for s', { signature: [signature[0], hexOf(curveOrder)] }],
    ['one part', { signature: [signature[0]] }],
    ['three parts', { signature: [...signature, '0x1'] }],
    ['decimals', { signature: signature.map((part) => BigInt(part).toString()) }],
    ['no signature', { signature: undefined }],
  ])('with %s does not verify', (_, change) => {
    expect(verifySignature({ ...valid, ...(change as object) })).toBe(false)
  })

  test('of any shape gives an answer, never an exception', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (a, b, c) => {
        expect(verifySignature({ hash: a, publicKey: b, signature: c } as never)).toBe(false)
        expect(verifySignature({ ...valid, signature: a } as never)).toBe(false)
        expect(verifySignature(a as never)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })
})

describe('signing', () => {
  test.each(['0x0', hexOf(curveOrder), `0x${'f'.repeat(64)}`, '0xsecret', 'secret', `0x1${'0'.repeat(64)}`])(
    'refuses %s as a private key, without repeating it',
    (key) => {
      for (const act of [() => sign(hash, key), () => publicKeyOf(key)]) {
        expect(act).toThrow(SchemaError)
        expect(act).not.toThrow(key)
      }
    },
  )

  test('refuses a hash of 2^251', () => {
    expect(() => sign(hexOf(2n ** 251n), privateKey)).toThrow(SchemaError)
  })
})
