import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { piecesOf, visible } from '../../src/page/text/visible.ts'

describe('a text that others wrote', () => {
  it('has its marks of direction and its characters of no width named', () => {
    expect(visible('admin\u202egnp.exe')).toBe('admin[U+202E]gnp.exe')
    expect(visible('a\u200bb\u0000c\u00add\ufeffe\u{e0041}f')).toBe('a[U+200B]b[U+0000]c[U+00AD]d[U+FEFF]e[U+E0041]f')
    expect(piecesOf('a\u2066b')).toEqual([
      { text: 'a', isHidden: false },
      { text: 'U+2066', isHidden: true },
      { text: 'b', isHidden: false },
    ])
  })

  it('is left alone otherwise, in any script', () => {
    for (const text of ['', 'Web, production', 'שלום', '網頁', 'naïve 👋🏽', '<b>']) {
      expect(visible(text)).toBe(text)
      expect(piecesOf(text).map((piece) => piece.text)).toEqual(text === '' ? [] : [text])
    }
  })

  it('never shows what turns the direction of writing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = piecesOf(text)
          .map((piece) => piece.text)
          .join('')
        expect(shown).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u)
      }),
    )
  })
})
