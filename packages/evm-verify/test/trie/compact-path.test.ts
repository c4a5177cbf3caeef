import { array, assert, boolean, integer, property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCompactPath, encodeCompactPath } from '../../src/trie/compact-path.ts'

// Examples of the Ethereum Wiki's page on the Patricia tree.
test.each([
  [[1, 2, 3, 4, 5], false, [0x11, 0x23, 0x45]],
  [[0, 1, 2, 3, 4, 5], false, [0x00, 0x01, 0x23, 0x45]],
  [[0, 0xf, 1, 0xc, 0xb, 8], true, [0x20, 0x0f, 0x1c, 0xb8]],
  [[0xf, 1, 0xc, 0xb, 8], true, [0x3f, 0x1c, 0xb8]],
  [[], true, [0x20]],
])('%j, a leaf: %s', (nibbles, isLeaf, packed) => {
  const path = { nibbles: Uint8Array.from(nibbles), isLeaf }
  expect([...encodeCompactPath(path)]).toEqual(packed)
  expect(decodeCompactPath(Uint8Array.from(packed))).toEqual(path)
})

test('each path has one form', () => {
  assert(
    property(array(integer({ min: 0, max: 15 })), boolean(), (nibbles, isLeaf) => {
      const path = { nibbles: Uint8Array.from(nibbles), isLeaf }
      expect(decodeCompactPath(encodeCompactPath(path))).toEqual(path)
    }),
  )
  assert(
    property(uint8Array({ maxLength: 4 }), (packed) => {
      let path
      try {
        path = decodeCompactPath(packed)
      } catch (thrown) {
        expect(thrown).toMatchObject({ name: 'VerifyError', code: 'malformed' })
        return
      }
      expect(encodeCompactPath(path)).toEqual(packed)
    }),
    { numRuns: 2_000 },
  )
})
