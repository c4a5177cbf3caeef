import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readLines } from '../../src/mcp/read-lines.ts'

async function linesOf(chunks: readonly Uint8Array[], most: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readLines(
    (async function* () {
      yield* chunks
    })(),
    most,
  ))
    lines.push(typeof line === 'string' ? 'too long' : Buffer.from(line).toString())
  return lines
}

it('cuts the same lines, whatever the pieces in which they come', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '\r', ' ', '🜁'), maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat({ max: 40 })), async (texts, cuts) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end))
      const most = 20
      const expected = texts.map((text) => (Buffer.byteLength(text) > most ? 'too long' : text))
      expect(await linesOf(chunks, most)).toEqual(expected)
    }),
  )
})

it('takes the end of the stream for that of a line, and keeps nothing of a line that is too long', async () => {
  expect(await linesOf([Buffer.from('a\nb')], 10)).toEqual(['a', 'b'])
  expect(await linesOf([Buffer.from('a\n'.repeat(2)), Buffer.from('b'.repeat(11))], 10)).toEqual(['a', 'a', 'too long'])
  expect(await linesOf([Buffer.from('b'.repeat(11)), Buffer.from('b'), Buffer.from('\nc\n')], 10)).toEqual([
    'too long',
    'c',
  ])
})
