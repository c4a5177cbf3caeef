import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isApiSecret, parseBasic, printBasic } from '../src/index.ts'

const base64 = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('base64')
/** Any well-formed text without control characters. */
const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => value === '' || isApiSecret(value))

describe('parseBasic', () => {
  test('reads the example of RFC 7617 §2 and its UTF-8 example of §2.1', () => {
    expect(parseBasic('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==')).toEqual({ user: 'Aladdin', password: 'open sesame' })
    expect(parseBasic('Basic dGVzdDoxMjPCow==')).toEqual({ user: 'test', password: '123£' })
  })

  test('takes the scheme in any case, several spaces, and absent padding', () => {
    for (const header of ['basic dGVzdDoxMjPCow==', 'BASIC   dGVzdDoxMjPCow==', 'Basic dGVzdDoxMjPCow']) {
      expect(parseBasic(header)).toEqual({ user: 'test', password: '123£' })
    }
  })

  test('ends the user at the first colon', () => {
    expect(parseBasic(`Basic ${base64('a:b:c')}`)).toEqual({ user: 'a', password: 'b:c' })
    expect(parseBasic(`Basic ${base64(':')}`)).toEqual({ user: '', password: '' })
  })

  test('keeps a leading byte order mark as a character', () => {
    expect(parseBasic(`Basic ${base64('\ufeff:x')}`)).toEqual({ user: '\ufeff', password: 'x' })
  })

  test('refuses what is malformed', () => {
    const malformed = {
      'no credentials': 'Basic',
      'empty credentials': 'Basic ',
      'no space': `Basic${base64('a:b')}`,
      'another scheme': `Bearer ${base64('a:b')}`,
      'no colon': `Basic ${base64('ab')}`,
      'not base64': 'Basic a*b=',
      'base64 of an impossible length': 'Basic YTpiY',
      'two parts': `Basic ${base64('a:b')} ${base64('a:b')}`,
      'a control character': `Basic ${base64('a:b\0')}`,
      'a line break': `Basic ${base64('a:b')}\n`,
      'Latin-1': `Basic ${base64('test:123£', 'latin1')}`,
    }
    const read = Object.keys(malformed).filter(
      (what) => parseBasic(malformed[what as keyof typeof malformed]) !== undefined,
    )
    expect(read).toEqual([])
  })

  test('never throws, whatever comes', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (any) => void parseBasic(any)))
    fc.assert(fc.property(fc.base64String(), (any) => void parseBasic(`Basic ${any}`)))
  })
})

describe('printBasic', () => {
  test('is read back as it was', () => {
    fc.assert(
      fc.property(text, text, (name, password) => {
        const user = name.replaceAll(':', '')
        expect(parseBasic(printBasic(user, password))).toEqual({ user, password })
      }),
    )
  })

  test('prints what Node and every server would read', () => {
    expect(printBasic('', 'fedc')).toBe('Basic OmZlZGM=')
    expect(printBasic('test', '123£')).toBe('Basic dGVzdDoxMjPCow==')
  })

  test('refuses a colon in the user and control characters, without repeating them', () => {
    for (const [user, password] of [
      ['us:er', 'hidden'],
      ['user', 'hid\u0007den'],
      ['us\ner', 'hidden'],
    ] as const) {
      const error = refusal(user, password)
      expect(error).toMatchObject({ name: 'AuthError', code: 'invalid_credentials' })
      expect(inspect(error)).not.toContain(password)
    }
  })
})

function refusal(user: string, password: string): unknown {
  try {
    return printBasic(user, password)
  } catch (error) {
    return error
  }
}
