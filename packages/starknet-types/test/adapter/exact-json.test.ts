import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isExactNumber, readExact } from '../../src/adapter/exact-json.ts'

function again(text: string): string {
  const { value, print } = readExact(rawJsonFromText(text))
  return print(value).text()
}

describe('exact JSON', () => {
  it('keeps every number by its token', () => {
    const text = '[12345678901234567890,1.0,-0,1e400,1E2,0.1,-7,9007199254740993,{"a":2.50}]'
    expect(again(text)).toBe(text)
    expect(readExact(rawJsonFromText('[1.0,2]')).value).toEqual([expect.toSatisfy(isExactNumber), 2])
  })

  it('takes no string for a number, whatever it says', () => {
    const text = '{"s1.0":"n0","n0" : "s","1.0":["1.0","\\"1.0",1.0],"\\\\":"\\\\"}'
    expect(JSON.parse(again(text))).toEqual(JSON.parse(text))
    expect(again(text)).toContain('"\\"1.0",1.0]')
  })

  it('is the parsed value itself where JavaScript keeps all of it', () => {
    const json = rawJsonFromText('{"a":[1,"0x2",null,true,-3.5]}')
    expect(readExact(json).value).toBe(json.value())
  })

  it('refuses what is no JSON', () => {
    expect(() => readExact(rawJsonFromText('{"a":01}'))).toThrow('not JSON')
  })

  it('law: prints any value as it was, beside numbers that need their tokens', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 2n ** 60n }), (value, big) => {
        const text = JSON.stringify(value)
        expect(JSON.parse(again(`[${text},${big}]`))).toEqual(JSON.parse(`[${text},${big}]`))
        expect(again(`[${big}]`)).toBe(`[${big}]`)
      }),
    )
  })

  it('finds a number beside strings that end in escapes', () => {
    for (const string of ['"\\\\"', '"a\\\\\\""', '"\\"1"', '""', '"0x1e5"']) {
      expect(again(`[${string},1.0]`)).toBe(`[${string},1.0]`)
      expect(readExact(rawJsonFromText(`[${string},1]`)).value).toEqual(JSON.parse(`[${string},1]`))
    }
  })

  it('takes a text with megabytes of string, and one with megabytes of numbers', () => {
    for (const text of [
      `["${'a\\n"'.replace('"', '\\"').repeat(1_000_000)}",1.0]`,
      `[${'-0,1.50,'.repeat(200_000)}1e9]`,
    ]) {
      const { value, print } = readExact(rawJsonFromText(text))
      // Told apart without a diff of megabytes.
      expect(print(value).text() === text).toBe(true)
    }
  })

  it('law: any JSON comes back as it was, but for its spaces', () => {
    const space = fc.constantFrom('', ' ', '\n\t', '\r\n  ')
    const token = fc.constantFrom(
      '-0',
      '1.0',
      '1E2',
      '-1e-7',
      '0',
      '-12',
      '0.1',
      '12345678901234567890',
      '1e400',
      '9007199254740993',
      '-0.0000012345678901234567',
    )
    // A name that looks like an index would change its place.
    const name = fc
      .oneof(fc.string(), fc.constantFrom('__proto__', 'wayleave', 'constructor', '\\"', '\u2028'))
      .filter((each) => !/^\d+$/.test(each))
    const { json } = fc.letrec<{ json: string }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        token,
        fc.constantFrom('null', 'true', 'false', '""', '[]', '{}'),
        fc.string({ unit: 'binary' }).map((each) => JSON.stringify(each)),
        fc.array(tie('json'), { maxLength: 4 }).map((each) => `[${each.join()}]`),
        fc
          .uniqueArray(fc.tuple(name, tie('json')), { maxLength: 4, selector: ([each]) => each })
          .map((each) => `{${each.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
      ),
    }))
    fc.assert(
      fc.property(json, space, (text, between) => {
        const whole = `{"n":1.0,"value":${text}}`
        const strings = whole.split(/("(?:[^"\\]|\\.)*")/)
        const spaced = strings.map((part, i) =>
          i % 2 === 1 ? part : part.replaceAll(/[{}[\]:,]/g, (each) => between + each + between),
        )
        expect(again(spaced.join(''))).toBe(whole)
      }),
    )
  })
})
