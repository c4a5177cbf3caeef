import { type RawJson, rawJsonFromChunks, rawJsonFromText } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { resultHolds } from '../../src/kinds/result-holds.ts'

const word = '"late":null'

/** A result of chunks that nobody may decode. */
function undecoded(text: string, cuts: readonly number[]): RawJson {
  const bytes = new TextEncoder().encode(text)
  const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.byteLength)).toSorted((a, b) => a - b), bytes.byteLength]
  const result = rawJsonFromChunks(at.slice(1).map((end, i) => bytes.subarray(at[i], end)))
  return Object.assign(result, {
    text() {
      throw new Error('it was decoded')
    },
  })
}

it('a word is found in a long result wherever its chunks end, without decoding it', () => {
  const long = 'é'.repeat(20_000)
  const place = 2 * 3_000
  fc.assert(
    fc.property(fc.array(fc.integer({ min: place - 3, max: place + word.length + 3 })), (cuts) => {
      expect(resultHolds(undecoded(long.slice(0, 3_000) + word + long, cuts), word)).toBe(true)
      expect(resultHolds(undecoded(long.slice(0, 3_000) + word.slice(1) + long, cuts), word)).toBe(false)
    }),
  )
})

it('a word is found in a short result', () => {
  expect([`{${word}}`, '{"late":"0x1"}'].map((text) => resultHolds(rawJsonFromText(text), word))).toEqual([true, false])
})
