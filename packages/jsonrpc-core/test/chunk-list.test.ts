import {
  collectStream,
  createContext,
  createHttpTransport,
  type RawJsonStream,
  streamAnswers,
} from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChunkList } from '../src/chunk-list.ts'
import { bytes, call } from './support.ts'

const sizes = fc.array(fc.oneof(fc.nat({ max: 60 }), fc.constantFrom(0, 1, 4_095, 4_096, 20_000, 65_536)), {
  maxLength: 60,
})

it('keeps the bytes in their order, whatever their pieces, also where its head is asked for meanwhile', () => {
  fc.assert(
    fc.property(sizes, fc.array(fc.nat({ max: 9_000 }), { maxLength: 60 }), (lengths, heads) => {
      const list = new ChunkList()
      const expected: number[] = []
      lengths.forEach((length, i) => {
        const chunk = Uint8Array.from({ length }, (_, j) => (i * 31 + j) % 251)
        for (const byte of chunk) expected.push(byte)
        list.add(chunk)
        const head = heads[i]
        if (head === undefined) return
        const first = list.head(head)!
        expect(first.byteLength >= head || list.chunks.length === 1).toBe(true)
        expect(first).toBe(list.chunks[0])
      })
      expect(list.byteLength).toBe(expected.length)
      expect(Buffer.concat(list.chunks).equals(Buffer.from(expected))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

it('does not change the pieces that it was given, and copies no long one', () => {
  const list = new ChunkList()
  const pieces = [new Uint8Array(10).fill(1), new Uint8Array(10).fill(2), new Uint8Array(5_000).fill(3)]
  for (const piece of pieces) list.add(piece)
  expect(pieces.map((piece) => [piece.length, piece[0], piece.at(-1)])).toEqual([
    [10, 1, 1],
    [10, 2, 2],
    [5_000, 3, 3],
  ])
  expect(list.chunks[1]).toBe(pieces[2])
})

it('holds an answer in a million pieces of one byte as few', async () => {
  const frame = bytes(`{"jsonrpc":"2.0","id":1,"result":"${'a'.repeat(1_000_000)}"}`)
  async function* drip(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < frame.length; i++) yield frame.subarray(i, i + 1)
  }
  const http = async () => ({ status: 200, headers: new Headers(), body: drip() })
  for (const acceptStream of [false, true]) {
    const { result } = await createHttpTransport({ url: 'http://peer', http, answers: streamAnswers() })(
      call('m'),
      createContext({ acceptStream }),
    )
    const held = acceptStream
      ? await collectStream(result as RawJsonStream, 2_000_000)
      : (result as Exclude<typeof result, RawJsonStream>)!
    expect(held.byteLength).toBe(1_000_002)
    expect(held.chunks().length).toBeLessThan(50)
  }
})
