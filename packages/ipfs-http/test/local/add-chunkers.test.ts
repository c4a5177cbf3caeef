import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buzhashTable } from '../../src/unixfs/chunkers-buzhash.ts'
import { parseChunker } from '../../src/unixfs/chunkers.ts'
import { all, stream } from './support.ts'

function noise(length: number, seed: string): Buffer {
  return createHash('shake256', { outputLength: length }).update(seed).digest()
}

async function lengths(chunker: string, ...parts: readonly Uint8Array[]): Promise<number[]> {
  const chunks = await all(parseChunker(chunker)(stream(...parts)))
  expect(Buffer.concat(chunks).equals(Buffer.concat(parts))).toBe(true)
  return chunks.map(({ length }) => length)
}

/** The remainder of bytes, read as a polynomial over GF(2), by Kubo's polynomial. */
function remainder(bytes: Uint8Array): bigint {
  let rest = 0n
  for (const byte of bytes) {
    rest = (rest << 8n) | BigInt(byte)
    for (let bit = 60n; bit >= 53n; bit--) if ((rest >> bit) & 1n) rest ^= 0x3df305dfb2a805n << (bit - 53n)
  }
  return rest
}

test('rabin cuts 512 kB of hashes where other implementations do', async () => {
  // From rabin-rs, test dagger_compat, which agrees with the chunker of Kubo.
  const hashes: Buffer[] = []
  for (let last = Buffer.from('hello world'); hashes.length < 16_384; hashes.push(last)) {
    last = createHash('sha256').update(last).digest()
  }
  const content = Buffer.concat(hashes)
  expect(await lengths('rabin-262144', content)).toEqual([189_236, 177_457, 157_595])
  expect(await lengths('rabin-min:87381-avg:262144-max:393216', content)).toEqual([189_236, 177_457, 157_595])
})

test('rabin cuts where the last 16 bytes leave a remainder with zeros at its end, between least and most', async () => {
  const content = noise(20_000, 'rabin')
  const expected: number[] = []
  for (let at = 0; at < content.length; at += expected.at(-1)!) {
    let length = Math.min(20, content.length - at)
    while (length < Math.min(700, content.length - at)) {
      if (remainder(content.subarray(at + length - 16, at + length)) % 128n === 0n) break
      length++
    }
    expected.push(length)
  }
  expect(await lengths('rabin-20-200-700', content)).toEqual(expected)
  expect(new Set(expected).size).toBeGreaterThan(20)
})

test('buzhash cuts where the hash of the last 32 bytes ends in 17 zeros, between 128 and 512 KiB', async () => {
  const content = noise(3_000_000, 'buzhash')
  const chunks = await lengths('buzhash', content)
  const turned = (word: number, by: number): number => (by === 0 ? word : (word << by) | (word >>> (32 - by)))
  let at = 0
  for (const length of chunks) {
    const isCut = (end: number): boolean => {
      const window = content.subarray(at + end - 32, at + end)
      return (window.reduce((hash, byte, i) => hash ^ turned(buzhashTable[byte]!, 31 - i), 0) & 0x1ffff) === 0
    }
    const isLast = at + length === content.length
    if (!isLast) expect(length === 524_288 || isCut(length)).toBe(true)
    for (let end = 131_072; end < length; end++) if (isCut(end)) throw new Error(`should have been cut at ${at + end}`)
    at += length
  }
  expect(chunks.some((length) => length > 131_072 && length < 524_288)).toBe(true)
}, 30_000)

test('each bit is set in half of the words of buzhash', () => {
  for (let bit = 0; bit < 32; bit++) expect(buzhashTable.filter((word) => (word >>> bit) & 1)).toHaveLength(128)
})

test('how content arrives changes no chunk', async () => {
  const cuts = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 })
  const chunkers = fc.constantFrom('size-1', 'size-100', 'size-1000', 'rabin-16-64-300')
  await fc.assert(
    fc.asyncProperty(chunkers, cuts, async (chunker, at) => {
      const content = noise(3000, 'parts')
      const edges = [0, ...at.toSorted((a, b) => a - b), 3000]
      const parts = edges.slice(1).map((end, i) => content.subarray(edges[i], end))
      const before = Buffer.from(content)
      expect(await lengths(chunker, ...parts)).toEqual(await lengths(chunker, content))
      expect(content.equals(before)).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('empty content has no chunk', async () => {
  for (const chunker of ['', 'default', 'size-5', 'rabin', 'buzhash']) expect(await lengths(chunker)).toEqual([])
})

test.each([
  'size-0',
  'size-2097153',
  'size-',
  'size-1-2',
  'size-x',
  'rabin-12-512-1024',
  'rabin-1-2',
  'rabin-64-32-128',
  'fixed',
  'size--1',
])('a chunker that says nothing is refused: %s', (chunker) => {
  expect(() => parseChunker(chunker)).toThrow(expect.objectContaining({ code: 'bad_argument' }))
})
