import { expect, it } from 'vitest'
import { createBlockHashes } from '../../src/cache/block-hashes.ts'

it('a block whose members are no hashes has no name that can be believed, whatever they are', () => {
  const isHashed = createBlockHashes({
    headerHash: () => {
      throw new TypeError('expected a header')
    },
    onOdd: () => {},
  })
  const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
  for (const odd of [{ toString: 0, valueOf: 0 }, deep, null, 7]) {
    expect(isHashed({ hash: `0x${'1'.repeat(64)}`, parentHash: odd, stateRoot: odd })).toBe(false)
    expect(isHashed({ hash: odd, parentHash: odd, stateRoot: odd })).toBe(false)
  }
})
