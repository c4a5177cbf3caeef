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
    expect([push(1, 3), push(2, 1), push(3, 1), push(4, 2)]).toEqual([
      ['first', 'again', 'again'],
      ['first'],
      ['first'],
      ['first', 'again'],
    ])
    const later = pushing(() => true)
    for (const number of [1, 2, 3]) later(number, 1)
    expect([later(4, 4), later(5, 2)]).toEqual([
      ['head', 'head', 'again', 'again'],
      ['first', 'again'],
    ])
  })
})
