import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameScanner, type FrameScannerOptions } from '../src/frame-scanner.ts'
import { loadSimdScan } from '../src/simd-scan.ts'
import { bytes } from './support.ts'

const byBytes: FrameScannerOptions = { simd: () => undefined }
const bySteps: FrameScannerOptions = { shortestForSimd: 1 }

/** Cuts `text` at the given places and scans the pieces; the index after the value in the whole, or -1. */
function scanWith(options: FrameScannerOptions, text: string | Uint8Array, cuts: readonly number[] = []): number {
  const all = typeof text === 'string' ? bytes(text) : text
  const scanner = createFrameScanner(options)
  const places = [0, ...cuts.map((cut) => cut % (all.length + 1)).toSorted((a, b) => a - b), all.length]
  for (let i = 0; i + 1 < places.length; i++) {
    const end = scanner.scan(all.subarray(places[i], places[i + 1]), 0)
    if (end >= 0) return places[i]! + end
  }
  return -1
}

/** Scans in each way, and tells them apart where they differ. */
function scan(text: string | Uint8Array, cuts: readonly number[] = []): number {
  const end = scanWith(byBytes, text, cuts)
  expect(scanWith(bySteps, text, cuts)).toBe(end)
  expect(scanWith({}, text, cuts)).toBe(end)
  return end
}

const json = fc.oneof(
  fc.json({ maxDepth: 5, stringUnit: 'binary' }),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, null, 2)),
  fc
    .string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', '😀', '\n') })
    .map((text) => JSON.stringify(text)),
)
const cuts = fc.array(fc.nat({ max: 10_000 }), { maxLength: 12 })

describe('a value in any chunks', () => {
  it('ends where JSON.parse ends it, whatever follows', () => {
    fc.assert(
      fc.property(
        json,
        fc.constantFrom('}', ',', ']', ' ', '\n'),
        fc.string({ unit: 'binary' }),
        cuts,
        (text, delimiter, rest, places) => {
          expect(scan(`${text}${delimiter}${rest}`, places)).toBe(bytes(text).length)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('ends at the same place a byte at a time', () => {
    fc.assert(
      fc.property(json, (text) => {
        const all = bytes(`${text}}`)
        expect(scan(all, [...all.keys()])).toBe(all.length - 1)
      }),
    )
  })

  it('does not end before its last byte', () => {
    fc.assert(
      fc.property(json, fc.nat(), cuts, (text, cut, places) => {
        const all = bytes(text)
        expect(scan(all.subarray(0, cut % all.length), places)).toBe(-1)
      }),
    )
  })
})

describe('a long value, wherever its memory starts', () => {
  const content = fc.tuple(
    fc.integer({ min: 400, max: 1_500 }),
    fc.array(
      fc.tuple(fc.nat({ max: 1_499 }), fc.constantFrom('\\"', '\\\\', '{', ']', 'é', '😀', '\u0001', '\xa2', '#', '!')),
    ),
  )

  it('ends at its own last byte, in any chunks', () => {
    fc.assert(
      fc.property(content, fc.nat({ max: 7 }), cuts, ([length, inserts], offset, places) => {
        const letters = Array.from({ length }, () => 'a')
        for (const [at, insert] of inserts) letters[at % length] = insert
        const value = bytes(`["${letters.join('')}",{"k":"${letters.toReversed().join('')}"}]`)
        const memory = new Uint8Array(offset + value.length + 3).fill(0x22)
        memory.set(value, offset)
        memory.set(bytes('}\n'), offset + value.length)
        expect(scan(memory.subarray(offset), places)).toBe(value.length)
      }),
      { numRuns: 300 },
    )
  })

  it('ends where it stands at every place of a word', () => {
    for (let offset = 0; offset < 8; offset++) {
      for (let length = 600; length < 612; length++) {
        for (const end of ['', '\\"', '\\\\', '\\\\\\"']) {
          const value = bytes(`"${'a'.repeat(length)}${end}"`)
          const memory = new Uint8Array(offset + value.length + 1).fill(0x7d)
          memory.set(value, offset)
          expect(scan(memory.subarray(offset))).toBe(value.length)
        }
      }
    }
  })
})

describe('nasty values', () => {
  it.each([
    ['"\\\\"', '}'],
    ['"\\""', '}'],
    ['"\\\\\\""', '}'],
    ['"}"', '}'],
    ['"]}"', '}'],
    ['{"a":"}"}', '}'],
    ['["\\\\",{"]":"["}]', '}'],
    ['""', '}'],
    ['true', '}'],
    ['null', ' }'],
    ['-1.5e+3', '\n}'],
    ['0', ',"x":1}'],
    ['"é\\u0022😀"', '}'],
    ['{"k\\\\":{"\\"":[[]]}}', '}'],
  ])('%s ends before %j in every pair of chunks', (value, rest) => {
    const length = bytes(value).length
    for (let cut = 0; cut <= length; cut++) expect(scan(`${value}${rest}`, [cut])).toBe(length)
  })

  it.each(['}', ',', ']', ' 1', '\n'])('%j begins no value', (text) => {
    const scanner = createFrameScanner()
    expect(scanner.scan(bytes(text), 0)).toBe(0)
    expect(scanner.begun).toBe(false)
  })

  it('has begun once a byte of the value has come', () => {
    const scanner = createFrameScanner()
    expect(scanner.begun).toBe(false)
    scanner.scan(new Uint8Array(), 0)
    expect(scanner.begun).toBe(false)
    expect(scanner.scan(bytes('1'), 0)).toBe(-1)
    expect(scanner.begun).toBe(true)
    expect(scanner.scan(bytes('}'), 0)).toBe(0)
  })
})

describe('scanning with SIMD', () => {
  it('is what this machine does', () => {
    expect(loadSimdScan()).toBeDefined()
    expect(loadSimdScan()).toBe(loadSimdScan())
  })

  it('is not loaded for short chunks', () => {
    let loads = 0
    const scanner = createFrameScanner({ simd: () => (loads++, undefined) })
    scanner.scan(bytes(`[${'1,'.repeat(500)}`), 0)
    expect(loads).toBe(0)
    scanner.scan(bytes('1,'.repeat(600)), 0)
    expect(loads).toBe(1)
  })

  // Mostly what steps have to tell apart, in any order: JSON or not.
  const token = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\r\n', '😀', '\xa2', '[\\', '"\\'),
    },
    { weight: 1, arbitrary: fc.nat({ max: 130 }).map((length) => 'a'.repeat(length)) },
    { weight: 1, arbitrary: fc.nat({ max: 130 }).map((length) => '\\'.repeat(length)) },
    { weight: 1, arbitrary: fc.nat({ max: 130 }).map((length) => '['.repeat(length)) },
    { weight: 1, arbitrary: fc.nat({ max: 130 }).map((length) => '{"a":[]},'.repeat(length)) },
  )
  const noise = fc.array(token, { minLength: 1, maxLength: 80 }).map((tokens) => tokens.join(''))

  it('finds the same end as byte by byte in any bytes, in any chunks, wherever they stand', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '[', '[[[[', '"', '["'),
        noise,
        fc.nat({ max: 7 }),
        cuts,
        (start, rest, offset, places) => {
          const content = bytes(start + rest)
          const memory = new Uint8Array(offset + content.length)
          memory.set(content, offset)
          scan(memory.subarray(offset), places)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('follows a depth of thousands', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 90_000 }), cuts, (depth, places) => {
        const text = `${'['.repeat(depth)}"]"${']'.repeat(depth)}`
        expect(scan(`${text}]`, places)).toBe(text.length)
      }),
      { numRuns: 30 },
    )
  })

  it('follows escapes over its own pieces and over chunks', () => {
    for (let slashes = 0; slashes < 8; slashes++) {
      for (let start = 32_760; start < 32_772; start++) {
        const text = `["${'a'.repeat(start)}${'\\'.repeat(2 * slashes)}\\"]","${'b'.repeat(200)}"]`
        expect(scan(`${text},`)).toBe(text.length)
        for (const cut of [start, start + 2, start + 3]) expect(scan(`${text},`, [cut])).toBe(text.length)
      }
    }
  })
})
