import { expect, it } from 'vitest'
import { compareBytes } from '../src/compare-bytes.ts'
import { compareUtf8 } from '../src/compare-utf8.ts'

it('orders texts as their UTF-8 bytes', () => {
  const texts = [
    '',
    'a',
    'ab',
    'b',
    'Z',
    '\u{7f}',
    '\u{80}',
    'é',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{10000}',
    '😀',
    '\u{10ffff}',
    'a😀',
    'a\u{ffff}',
  ]
  const utf8 = new TextEncoder()
  for (const one of texts) {
    for (const other of texts) {
      const byBytes = compareBytes(utf8.encode(one), utf8.encode(other))
      expect([one, other, Math.sign(compareUtf8(one, other))]).toEqual([one, other, Math.sign(byBytes)])
    }
  }
})
