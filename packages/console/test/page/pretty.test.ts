import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pretty } from '../../src/page/pages/try/pretty.ts'

describe('an answer for people', () => {
  it('keeps numbers, members and escapes as they came', () => {
    const text = '{"a":12345678901234567890,"a":1e400,"b":"\\u0041\\"<b>","c":[],"d":{},"e":[1,{"f":-0}]}'
    expect(pretty(text)).toBe(
      [
        '{',
        '  "a": 12345678901234567890,',
        '  "a": 1e400,',
        '  "b": "\\u0041\\"<b>",',
        '  "c": [],',
        '  "d": {},',
        '  "e": [',
        '    1,',
        '    {',
        '      "f": -0',
        '    }',
        '  ]',
        '}',
      ].join('\n'),
    )
  })

  it('is what JSON.stringify prints, for any value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const compact = JSON.stringify(JSON.parse(text))
        expect(pretty(compact)).toBe(JSON.stringify(JSON.parse(text), null, 2))
      }),
    )
  })

  it.each(['<html>no</html>', '}{', '[1', ''])('leaves %s as it is', (text) => {
    expect(pretty(text)).toBe(text)
  })
})
