import { array, assert, letrec, oneof, property, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeRlp, type RlpItem } from '../src/rlp.ts'
import { bytesOf, decodeRlp } from './raw-transaction.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const lorem = 'Lorem ipsum dolor sit amet, consectetur adipisicing elit'

describe('encodeRlp', () => {
  // Examples of the Ethereum Wiki's page on RLP.
  test.each<[string, RlpItem, string]>([
    ['a string', text('dog'), '0x83646f67'],
    ['a list', [text('cat'), text('dog')], '0xc88363617483646f67'],
    ['the empty string', text(''), '0x80'],
    ['the empty list', [], '0xc0'],
    ['a byte that stands for itself', Uint8Array.of(0x0f), '0x0f'],
    ['zero as a byte', Uint8Array.of(0), '0x00'],
    ['two bytes', Uint8Array.of(0x04, 0x00), '0x820400'],
    ['a byte from 0x80', Uint8Array.of(0x80), '0x8180'],
    ['the set theory of three', [[], [[]], [[], [[]]]], '0xc7c0c1c0c3c0c1c0'],
    ['56 bytes', text(lorem), `0xb838${Buffer.from(lorem).toString('hex')}`],
  ])('encodes %s', (_what, item, encoded) => {
    expect(encodeRlp(item)).toEqual(bytesOf(encoded))
  })

  test('is undone by a strict decoder, at every length of a prefix', () => {
    const { item } = letrec<{ item: RlpItem }>((tie) => ({
      item: oneof(
        { maxDepth: 4 },
        uint8Array({ maxLength: 80 }),
        array(tie('item'), { maxLength: 4 }).map((list): RlpItem => list),
      ),
    }))
    assert(
      property(item, (value) => {
        expect(decodeRlp(encodeRlp(value))).toEqual(value)
      }),
    )
    for (const length of [0, 1, 55, 56, 255, 256, 65_535, 65_536]) {
      const bytes = new Uint8Array(length).fill(0x81)
      expect(decodeRlp(encodeRlp(bytes))).toEqual(bytes)
      const list = Array.from({ length }, () => Uint8Array.of(1))
      expect(decodeRlp(encodeRlp(list))).toEqual(list)
    }
  })

  test('takes lists far longer than a call has arguments', () => {
    const list = Array.from({ length: 300_000 }, () => Uint8Array.of(7))
    expect(encodeRlp(list).length).toBe(300_004)
  })
})
