import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { createPushedHeads } from '../../src/heads/pushed-heads.ts'

const raw = rawJsonFromText('{}')
const hash = (number: number, i: number): string => `${number} ${i}`
/** Pushes a height under so many hashes, one after the other. */
const pushing = (mayBeUnsealed: (() => boolean) | undefined) => {
  const meaningOf = createPushedHeads(mayBeUnsealed === undefined ? {} : { mayBeUnsealed })
  return (number: number, times: number) =>
    Array.from({ length: times }, (_, i) =>
      meaningOf({ number, hash: hash(number, i), parentHash: hash(number - 1, 0) }, raw),
    )
}

describe('a pushed head', () => {
  it('is one at once on chains whose nodes push sealed blocks alone', () => {
    for (const mayBeUnsealed of [undefined, () => false]) {
      const push = pushing(mayBeUnsealed)
      expect([push(1, 3), push(2, 1)]).toEqual([['head', 'head', 'head'], ['head']])
    }
  })

  it('is one on other chains after a few that came once each', () => {
    const push = pushing(() => true)
    expect([1, 2, 3, 4].map((number) => push(number, 1))).toEqual([['first'], ['first'], ['head'], ['head']])
    // A reorganisation of one block.
    expect([push(5, 2), push(6, 1)]).toEqual([['head', 'head'], ['head']])
  })

  it('is none where its node pushes what it builds, nor is one any more that does so later', () => {
    const push = pushing(() => true)
    expect([push(1, 4), push(2, 1), push(3, 1), push(4, 3)]).toEqual([
      ['first', 'first', 'again', 'again'],
      ['first'],
      ['first'],
      ['first', 'first', 'again'],
    ])
    const later = pushing(() => true)
    for (const number of [1, 2, 3]) later(number, 1)
    expect([later(4, 4), later(5, 2)]).toEqual([
      ['head', 'head', 'again', 'again'],
      ['first', 'first'],
    ])
  })

  it('is one again after eight that came once each, however often its node pushed what it built before', () => {
    const push = pushing(() => true)
    push(1, 4)
    const clean = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => push(number, 1)[0])
    expect(clean).toEqual([...Array.from({ length: 8 }, () => 'first'), 'head', 'head'])
    expect([push(12, 4), push(13, 1), push(14, 1)]).toEqual([['head', 'head', 'again', 'again'], ['first'], ['first']])
  })

  it('is a hint at least where a block takes the place of another one', () => {
    const meaningOf = createPushedHeads({ mayBeUnsealed: () => true })
    const push = (number: number, own: string, parentHash: string) => meaningOf({ number, hash: own, parentHash }, raw)
    expect([push(5, 'a', 'p'), push(5, 'b', 'q'), push(4, 'c', 'p'), push(4, 'd', 'p')]).toEqual([
      'first',
      'first',
      'first',
      'first',
    ])
    expect([push(4, 'd', 'p'), push(4, 'd', 'p')]).toEqual(['again', 'again'])
  })

  it('is none under a hash that blocks of other heights have, or of zeros', () => {
    const zeros = `0x${'0'.repeat(64)}`
    for (const own of ['0xab', zeros]) {
      const meaningOf = createPushedHeads({ mayBeUnsealed: () => true })
      const meanings = [1, 2, 3, 4, 5].flatMap((number) =>
        [0, 1].map(() => meaningOf({ number, hash: own, parentHash: hash(number - 1, 0) }, raw)),
      )
      expect(meanings).toEqual(Array.from({ length: 5 }, () => ['first', 'again']).flat())
    }
    const push = createPushedHeads({ mayBeUnsealed: () => true })
    const reported = [1, 2, 3].map((number) => push({ number, hash: hash(number, 0) }, raw))
    expect([...reported, push({ number: 4, hash: zeros }, raw)]).toEqual(['first', 'first', 'head', 'first'])
  })
})
