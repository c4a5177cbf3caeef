import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutParts, endOfString, endOfValue, isDeeperThan, skipSpace } from '../src/json-scan.ts'

const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/)
const json = fc.json({ maxDepth: 4, stringUnit: 'binary' })
/** JSON with white space wherever it may stand. */
const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.integer({ min: 0, max: 4 }))
  .map(([value, indent]) => JSON.stringify(value, null, indent))

describe('a value', () => {
  it('ends where JSON.parse ends it, whatever follows', () => {
    fc.assert(
      fc.property(spaced, fc.constantFrom(',', '}', ']', ' ', '\n'), fc.string(), (text, delimiter, rest) => {
        expect(endOfValue(`${text}${delimiter}${rest}`, 0)).toBe(text.length)
      }),
    )
  })

  it('does not end in a text that cuts it short', () => {
    fc.assert(
      fc.property(json, fc.nat(), (text, cut) => {
        const short = text.slice(0, cut % text.length)
        // A shorter scalar may go on in the next character.
        expect(endOfValue(short, 0)).toBe(-1)
      }),
    )
  })

  it.each([',', ']', '}', ' 1', ''])('does not begin with %j', (text) => {
    expect(endOfValue(text, 0)).toBe(-1)
  })

  it('is no neighbour of itself: what is written in a string stays there', () => {
    const text = '"},{\\"id\\":2,\\\\"'
    expect(endOfValue(`${text}}`, 0)).toBe(text.length)
  })
})

describe('a string', () => {
  it('ends at the first quote that is not escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const text = JSON.stringify(value)
        expect(endOfString(`${text}"`, 0)).toBe(text.length)
      }),
    )
  })

  it.each(['"', '"a', '"\\"', '"\\\\\\"'])('does not end in %j', (text) => {
    expect(endOfString(text, 0)).toBe(-1)
  })

  it.each([
    ['backslashes', '\\\\'],
    ['escaped quotes', '\\"'],
  ])('of many %s is read in linear time', (_name, piece) => {
    const text = `"${piece.repeat(100_000)}"`
    let read = 0
    const counted = {
      indexOf(sought: string, from: number): number {
        const at = text.indexOf(sought, from)
        read += (at < 0 ? text.length : at + 1) - from
        return at
      },
      charCodeAt(at: number): number {
        read++
        return text.charCodeAt(at)
      },
    }
    expect(endOfString(counted as string, 0)).toBe(text.length)
    expect(read).toBeLessThan(3 * text.length)
  })
})

describe('members', () => {
  const cut = (text: string): [string, string][] | undefined => {
    const members: [string, string][] = []
    const end = cutParts(text, 0, (from, to, key) => members.push([key, text.slice(from, to)]))
    return end === text.length && text[0] === '{' ? members : undefined
  }

  it('are cut as JSON.parse reads them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), json, space)), space, (members, gap) => {
        const text = `{${gap}${members.map(([key, value, inner]) => `${JSON.stringify(key)}${inner}:${inner}${value}${gap}`).join(`,${gap}`)}}`
        JSON.parse(text)
        expect(cut(text)).toEqual(members.map(([key, value]) => [key, value]))
      }),
    )
  })

  it('are known by their unescaped keys', () => {
    expect(cut('{"\\u0069d":1}')).toEqual([['id', '1']])
  })

  it.each([
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    '{"a":1 "b":2}',
    '{"a" 1}',
    '[1]',
    '"a"',
    '',
    '{"\\x":1}',
    '{"a":1',
  ])('are not cut from %j', (text) => {
    expect(cut(text)).toBeUndefined()
  })
})

describe('elements', () => {
  const cut = (text: string): string[] | undefined => {
    const elements: string[] = []
    const end = cutParts(text, 0, (from, to) => elements.push(text.slice(from, to)))
    return end === text.length && text[0] === '[' ? elements : undefined
  }

  it('are cut as JSON.parse reads them', () => {
    fc.assert(
      fc.property(fc.array(json), space, (elements, gap) => {
        const text = `[${gap}${elements.join(`${gap},${gap}`)}${gap}]`
        expect(cut(text)).toEqual(elements)
      }),
    )
  })

  it.each(['[', '[,]', '[1,]', '[1 2]', '[,1]', '{}', '[1', '[1}'])('are not cut from %j', (text) => {
    expect(cut(text)).toBeUndefined()
  })
})

describe('depth', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

  it('is that of the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value)
        const depth = depthOf(value)
        expect(isDeeperThan(text, depth)).toBe(false)
        if (depth > 0) expect(isDeeperThan(text, depth - 1)).toBe(true)
      }),
    )
  })

  it('counts no bracket in a string', () => {
    expect(isDeeperThan('["[[[[\\"[[["]', 1)).toBe(false)
    expect(isDeeperThan('["\\\\",[1]]', 1)).toBe(true)
  })
})

it('white space is what JSON says it is', () => {
  expect(skipSpace(' \n\r\t\u00a0', 0)).toBe(4)
  expect(skipSpace('  ', 0)).toBe(2)
})
