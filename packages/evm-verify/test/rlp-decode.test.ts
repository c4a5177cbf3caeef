import { RLP } from '@ethereumjs/rlp'
import { array, assert, letrec, oneof, property, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { VerifyError } from '../src/index.ts'
import { decodeRlp, maxRlpDepth, maxRlpItems } from '../src/rlp-decode.ts'
import { encodeRlp, type RlpItem } from '../src/rlp.ts'
import { bytesOf } from './raw-transaction.ts'
import { differentialRuns } from './random-chain.ts'

const { item } = letrec<{ item: RlpItem }>((tie) => ({
  item: oneof(
    { maxDepth: 5 },
    uint8Array({ maxLength: 80 }),
    array(tie('item'), { maxLength: 5 }).map((list): RlpItem => list),
  ),
}))

const refused = expect.objectContaining({ name: 'VerifyError', code: 'malformed' })

describe('decodeRlp', () => {
  test('undoes encodeRlp, and both agree with @ethereumjs/rlp', () => {
    assert(
      property(item, (value) => {
        const encoded = encodeRlp(value)
        expect(decodeRlp(encoded)).toEqual(value)
        expect(encoded).toEqual(RLP.encode(value as Uint8Array))
      }),
      { numRuns: differentialRuns },
    )
  })

  test.each([
    ['nothing', '0x'],
    ['bytes after the item', '0x8000'],
    ['a byte below 0x80 with a prefix', '0x8105'],
    ['a string that ends before it does', '0x83646f'],
    ['a list that ends before it does', '0xc3c0'],
    ['an item that ends after its list', '0xc28200ff'],
    ['a long prefix for a short string', `0xb801${'ff'}`],
    ['a long prefix for a short list', '0xf801c0'],
    ['a length with leading zeros', `0xb90038${'ff'.repeat(56)}`],
    ['a length without its bytes', '0xbf'],
    ['a length of 2^64 - 1', '0xbfffffffffffffffff'],
    ['a list of 2^64 - 1', '0xffffffffffffffffff'],
  ])('refuses %s', (_what, encoded) => {
    expect(() => decodeRlp(bytesOf(encoded))).toThrow(refused)
  })

  test('has one encoding for each value: what it takes, encodes to the same bytes', () => {
    assert(
      property(uint8Array({ maxLength: 70 }), (bytes) => {
        let value: RlpItem
        try {
          value = decodeRlp(bytes)
        } catch (thrown) {
          return thrown instanceof VerifyError
        }
        return Buffer.compare(encodeRlp(value), bytes) === 0
      }),
      { numRuns: 5_000 },
    )
  })

  test('refuses lists that nest without end, and items without number', () => {
    const nested = (depth: number): Uint8Array => {
      let list: RlpItem = []
      for (let i = 1; i < depth; i++) list = [list]
      return encodeRlp(list)
    }
    expect(decodeRlp(nested(maxRlpDepth))).toBeInstanceOf(Array)
    expect(() => decodeRlp(nested(maxRlpDepth + 1))).toThrow(refused)
    // Ten million bytes, each of which opens a list; and as many that each are one.
    const endless = new Uint8Array(10_000_000).fill(0xc1)
    expect(() => decodeRlp(endless)).toThrow(refused)
    const many = new Uint8Array(maxRlpItems + 4).fill(0xc0)
    many.set([0xfa, 0x0f, 0x42, 0x40])
    expect(() => decodeRlp(many)).toThrow(refused)
  })

  test('takes ten million bytes in one string', () => {
    const long = new Uint8Array(10_000_000)
    expect((decodeRlp(encodeRlp(long)) as Uint8Array).length).toBe(long.length)
  })
})
