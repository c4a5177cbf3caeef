import { rawJsonFromChunks, rawJsonFromText } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { copyBody, copyText, resultOf } from '../src/kept-body.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a body that is kept', () => {
  it.each([
    ['a short text', '"0x12"', 'string'],
    ['a text as long as may be', `"${'a'.repeat(16_382)}"`, 'string'],
    ['a longer text', `"${'a'.repeat(16_383)}"`, 'bytes'],
    ['a short text with other characters', '"é€"', 'bytes'],
  ])('%s is the same from a text and from chunks', (_name, text, kind) => {
    const half = bytes(text).length >> 1
    const chunks = rawJsonFromChunks([bytes(text).slice(0, half), bytes(text).slice(half)])
    for (const result of [rawJsonFromText(text), chunks]) {
      const body = copyBody(result)
      expect(resultOf(body!).byteLength).toBe(result.byteLength)
      if (kind === 'string') expect(body).toBe(text)
      else expect(body).toEqual(bytes(text))
    }
  })

  it('is none for a short result that is not UTF-8', () => {
    expect(copyBody(rawJsonFromChunks([Uint8Array.of(0x22, 0xff, 0x22)]))).toBeUndefined()
  })
})

it.each(['', 'key', 'é'.repeat(9_000), '€'.repeat(6_000), 'a'.repeat(16_384), 'a'.repeat(20_000)])(
  'a copied text is whole, and its length is that of its bytes',
  (text) => {
    expect(copyText(text)).toEqual({ text, byteLength: bytes(text).length })
  },
)
