import { performance } from 'node:perf_hooks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '@wayleave/network'

const secret = 'K3y+with/odd=chars&5'
const redact = createRedactor([secret])
const percent = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const unicode = (text: string, prefix = '\\u'): string =>
  Array.from(text, (char) => `${prefix}${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

describe('a redactor', () => {
  it.each([
    secret,
    secret.toUpperCase(),
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
    percent(secret),
    percent(secret).toUpperCase(),
    unicode(secret),
    unicode(secret, '\\\\u'),
    unicode(percent(secret)),
    secret.replaceAll('/', '\\/'),
    Buffer.from(secret).toString('hex'),
    ...['', 'a', 'ab'].flatMap((before) => {
      const bytes = Buffer.from(`${before}${secret}:more`)
      return [bytes.toString('base64'), bytes.toString('base64url'), encodeURIComponent(bytes.toString('base64'))]
    }),
  ])('replaces a secret that is spelled %s', (spelled) => {
    const clean = redact(`"it is ${spelled} there"`)
    expect(clean).toMatch(/^"it is \S{0,6}\[redacted\]\S{0,16} there"$/)
  })

  it('returns a text without a secret as it is', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => redact(text) === text))
    for (const text of ['%', '%2', '%25%', '\\', '\\u00', '\ud800\\udc00', '%\\u0032\\u0035zz'])
      expect(redact(text)).toBe(text)
  })

  it('replaces a secret in letters of any kind, and leaves all around it', () => {
    const own = createRedactor(['pass é漢😀'])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
        // A last backslash or percent sign is part of the spelling of what follows.
        const [head, tail] = [`${before} `, ` ${after}`]
        expect(own(`${head}pass é漢😀${tail}`)).toBe(`${head}[redacted]${tail}`)
      }),
    )
    expect(own(`a${unicode('pass ')}\\u00e9\\u6f22\\ud83d\\ude00b`)).toBe('a[redacted]b')
    expect(own(`a${encodeURIComponent('pass é漢😀')}b`)).toBe('a[redacted]b')
  })

  it('takes no text of fewer than eight bytes for a secret', () => {
    expect(createRedactor(['short12', ''])('short12')).toBe('short12')
  })

  it('leaves few hex digits in the data of a contract, and replaces them elsewhere', () => {
    const own = createRedactor(['deadbeef', '0123456789abcdef'])
    expect(own('0x08c379a0deadbeef00, deadbeef, 0xff0123456789abcdefff')).toBe(
      '0x08c379a0deadbeef00, [redacted], 0xff[redacted]ff',
    )
  })

  it.each([
    ['escapes', '\\'],
    ['percent signs', '%'],
    ['percent signs that encode themselves', '%25'],
    ['percent signs before escapes', '%\\'],
    ['halves of pairs before escapes', '\\ud800\\'],
    ['the begin of a secret', 'k3y'],
    ['hex', '0x'],
    ['secrets', secret],
  ])('reads a megabyte of %s in linear time', (_what, piece) => {
    const own = createRedactor([secret, 'k3y'.repeat(60), 'deadbeef'])
    const begun = performance.now()
    own(piece.repeat(1_048_576 / piece.length))
    // Quadratic work takes hours.
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})
