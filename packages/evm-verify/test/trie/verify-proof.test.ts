import { createMerkleProof, createMPT, verifyMerkleProof } from '@ethereumjs/mpt'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from '@wayleave/evm-types'
import { array, assert, asyncProperty, integer, property, string, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { VerifyError, verifyProof } from '../../src/index.ts'
import { encodeRlp, type RlpItem } from '../../src/rlp.ts'

const hex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`
const bytes = (text: string): Uint8Array => hexToBytes(text)
const hashOf = (node: RlpItem): Uint8Array => keccak_256(encodeRlp(node))
const none = new Uint8Array(0)
const branch = (children: Readonly<Record<number, RlpItem>>): RlpItem[] =>
  Array.from({ length: 17 }, (_, i) => children[i] ?? none)

/** The proof of one key against the first of some nodes. */
function prove(key: Hex, ...nodes: readonly RlpItem[]): Hex | undefined {
  return verifyProof(
    hex(hashOf(nodes[0]!)),
    key,
    nodes.map((node) => hex(encodeRlp(node))),
  )
}

function errorOf(run: () => unknown): VerifyError {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof VerifyError) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

const long = bytes('ab'.repeat(40))
const leaf = (path: string, value: RlpItem = long): RlpItem => [bytes(path), value]

describe('inclusion', () => {
  test('in a leaf that is the root', () => {
    expect(prove('0x1234', leaf('201234'))).toBe(hex(long))
  })

  test('below a branch, and below an extension', () => {
    const inner = branch({ 3: hashOf(leaf('34')) })
    expect(prove('0x1234', [bytes('0012'), hashOf(inner)], inner, leaf('34'))).toBe(hex(long))
  })

  test('in the branch where the key ends', () => {
    const node = branch({})
    node[16] = long
    expect(prove('0x', node)).toBe(hex(long))
    expect(prove('0x12', [bytes('0012'), hashOf(node)], node)).toBe(hex(long))
  })

  test('in nodes that lie within their parents, given on their own or not', () => {
    const small = leaf('34', bytes('05'))
    const inner = branch({ 3: small })
    const top = [bytes('0012'), inner] as const
    expect(encodeRlp(inner).length).toBeLessThan(32)
    for (const given of [[top], [top, inner], [top, inner, small], [top, small]]) {
      expect(prove('0x1234', ...given)).toBe('0x05')
    }
    expect(errorOf(() => prove('0x1234', top, inner, inner)).code).toBe('invalid_proof')
  })
})

describe('exclusion', () => {
  test('by an empty trie: no node, or an empty one', () => {
    const root = hex(keccak_256(bytes('80')))
    expect(verifyProof(root, '0x12', [])).toBeUndefined()
    expect(verifyProof(root, '0x12', ['0x80'])).toBeUndefined()
    expect(errorOf(() => verifyProof(root, '0x12', ['0x80', '0x80'])).field).toBe('[1]')
    expect(errorOf(() => verifyProof(root, '0x12', [hex(encodeRlp(leaf('2012')))])).code).toBe('invalid_proof')
  })

  test.each([
    ['a leaf of another key', [leaf('201235')]],
    ['a leaf of a shorter key', [leaf('2012')]],
    ['a leaf of a longer key', [leaf('20123456')]],
    ['an empty place of a branch', [branch({ 2: hashOf(leaf('34')) })]],
    ['an extension that goes elsewhere', [[bytes('0013'), hashOf(leaf('34'))]]],
    ['an extension beyond the key', [[bytes('00123456'), hashOf(leaf('34'))]]],
  ] as const)('by %s', (_, nodes) => {
    expect(prove('0x1234', ...nodes)).toBeUndefined()
  })

  test('by a branch that holds no value where the key ends', () => {
    expect(prove('0x', branch({ 1: hashOf(leaf('34')) }))).toBeUndefined()
  })
})

describe('no proof', () => {
  const inner = branch({ 3: hashOf(leaf('34')) })
  const top = [bytes('0012'), hashOf(inner)]
  const invalid: readonly (readonly [string, readonly RlpItem[]])[] = [
    ['a node is missing', [top, inner]],
    ['a node is there twice', [top, inner, inner, leaf('34')]],
    ['a node follows the end', [top, inner, leaf('34'), leaf('34')]],
    ['nodes are in another order', [top, leaf('34'), inner]],
    ['a node is another', [top, inner, leaf('34', bytes('01'))]],
    ['a node has three items', [[none, none, none]]],
    ['a node is a string', [long]],
    ['a value is a list', [leaf('201234', [long])]],
    ['a value is empty', [leaf('201234', none)]],
    ['a path is a list', [[[long], long]]],
    ['an extension adds no digit', [[bytes('00'), hashOf(inner)]]],
    ['an extension ends in nothing', [[bytes('0012'), none]]],
    ['a child is neither hash nor node', [branch({ 1: bytes('abcd') })]],
    ['a child of 32 bytes or more stands within', [branch({ 1: leaf('20') })]],
  ]
  test.each(invalid)('where %s', (_, nodes) => {
    expect(errorOf(() => prove('0x1234', ...nodes)).code).toBe('invalid_proof')
  })

  test('where there are more nodes than the key has digits', () => {
    const encodedTop = hex(encodeRlp(top))
    const nodes = Array.from({ length: 100_000 }, () => encodedTop)
    expect(errorOf(() => verifyProof(hex(hashOf(top)), '0x1234', nodes)).message).toContain('at most')
  })

  test('where a path or the RLP is malformed', () => {
    for (const path of ['', '40', '02', '22']) expect(errorOf(() => prove('0x1234', leaf(path))).code).toBe('malformed')
    expect(errorOf(() => verifyProof(hex(keccak_256(bytes('c2'))), '0x12', ['0xc2'])).code).toBe('malformed')
  })

  test('where an extension leads to itself in place of a hash that cannot be', () => {
    // A cycle would take a node that holds its own hash; what embeds itself is as long as it is deep.
    let node: RlpItem = leaf('3a', bytes('01'))
    for (let i = 0; i < 30; i++) node = [bytes('1a'), node]
    expect(errorOf(() => prove(`0x${'aa'.repeat(32)}`, node)).code).toBe('invalid_proof')
  })

  test('where root, key or a node are no hex', () => {
    const root = hex(hashOf(leaf('201234')))
    const node = hex(encodeRlp(leaf('201234')))
    for (const [r, k, n] of [
      ['0x12', '0x1234', node],
      [root, '0x123', node],
      [root, 7, node],
      [root, `0x${'00'.repeat(65)}`, node],
      [root, '0x1234', null],
      [root, '0x1234', `${node}g`],
      [root, '0x1234', {}],
    ]) {
      expect(errorOf(() => verifyProof(r as Hex, k as Hex, [n as Hex])).code).toBe('malformed')
    }
  })

  test('where a node is longer than the cap; up to it all is read, 10 MB too', { timeout: 60_000 }, () => {
    const big = encodeRlp(leaf('201234', new Uint8Array(10_000_000)))
    const [root, node] = [hex(keccak_256(big)), hex(big)]
    expect(errorOf(() => verifyProof(root, '0x1234', [node], 1_024)).message).toContain('at most 1024 bytes')
    expect(verifyProof(root, '0x1234', [node])?.length).toBe(2 + 20_000_000)
    expect(errorOf(() => verifyProof(root, '0x1234', [`0x${'00'.repeat(17_000_000)}`])).code).toBe('invalid_proof')
  })

  test('for anything: it throws nothing but its error, whatever comes', () => {
    const texts = array(
      string({ unit: 'grapheme' }).map((text) => `0x${text}` as Hex),
      { maxLength: 4 },
    )
    assert(
      property(uint8Array({ maxLength: 200 }), uint8Array({ maxLength: 8 }), texts, (first, key, others) => {
        try {
          verifyProof(hex(keccak_256(first)), hex(key), [hex(first), ...others])
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(VerifyError)
        }
      }),
      { numRuns: 500 },
    )
  })
})

const rounds = Number(process.env['DIFFERENTIAL'] ?? 250)

test(`agrees with @ethereumjs/mpt on ${rounds} random tries, and refuses each with a bit flipped`, async () => {
  const keyLength = integer({ min: 1, max: 32 })
  const entries = array(uint8Array({ minLength: 32, maxLength: 64 }), { minLength: 1, maxLength: 24 })
  await assert(
    asyncProperty(
      keyLength,
      entries,
      uint8Array({ minLength: 32, maxLength: 32 }),
      integer({ min: 0 }),
      async (length, list, other, at) => {
        const trie = await createMPT()
        const held = new Map<string, Uint8Array>()
        for (const entry of list) {
          // Few different digits make for shared paths, branches with values and embedded nodes.
          const key = entry.slice(0, length).map((byte) => byte & 0x11)
          const value = entry.slice(31)
          held.set(hex(key), value)
          await trie.put(key, value)
        }
        const root = hex(trie.root())
        const keys = [...held.keys()]
          .slice(0, 4)
          .concat(hex(other.slice(0, length)), hex(other.slice(0, length).map((byte) => byte & 0x11)))
        for (const key of keys) {
          const proof = (await createMerkleProof(trie, hexToBytes(key.slice(2)))).map(hex)
          const expected = await verifyMerkleProof(
            hexToBytes(key.slice(2)),
            proof.map((node) => hexToBytes(node.slice(2))),
            {
              root: trie.root(),
            },
          )
          expect(expected ?? undefined).toEqual(held.get(key))
          expect(verifyProof(root, key as Hex, proof)).toBe(expected === null ? undefined : hex(expected))
          const flipped = proof.map((node, i) => (i === at % proof.length ? flip(node, at) : node))
          expect(errorOf(() => verifyProof(root, key as Hex, flipped)).code).toBe('invalid_proof')
        }
      },
    ),
    { numRuns: rounds },
  )
}, 600_000)

function flip(node: Hex, at: number): Hex {
  const i = 2 + (at % (node.length - 2))
  return `${node.slice(0, i)}${(parseInt(node[i]!, 16) ^ 1).toString(16)}${node.slice(i + 1)}` as Hex
}
