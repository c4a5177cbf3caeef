import { dataSchema, type Hash, hashSchema, type Hex } from '@wayleave/evm-types'
import { assertMember } from '../assert-member.ts'
import { bytesFromHex, hexFromBytes } from '../bytes.ts'
import { VerifyError } from '../error.ts'
import { keccak } from '../keccak.ts'
import { encodeRlp, type RlpItem } from '../rlp.ts'
import { decodeRlp } from '../rlp-decode.ts'
import { decodeCompactPath, nibblesOf } from './compact-path.ts'

/** Default longest node of a proof, in bytes: a leaf may hold a transaction or a receipt. */
const longestNode = 16 * 1024 * 1024
/** Longest key of a proof, in bytes. The keys of the state are hashes. */
const longestKey = 64

/** The root of an empty trie: the hash of an empty string's encoding. */
export const emptyRoot: Hash = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/**
 * The value that a Merkle-Patricia trie holds under `key`, or undefined if the proof shows that it holds none. `nodes` are
 * the encoded nodes on the path down from `root`, each once and no others. A node embedded in its parent (below 32 bytes)
 * may also follow it separately, as some clients send it; an empty trie has no node or an empty one. Time is linear in
 * the bytes, and no node is decoded before its hash was found right.
 * Source: Yellow Paper, appendix D.
 * @throws VerifyError `invalid_proof`; `malformed` for a node that is not hex, and for a key beyond 64 bytes.
 */
export function verifyProof(
  root: Hash,
  key: Hex,
  nodes: readonly Hex[],
  maxNodeBytes: number = longestNode,
): Hex | undefined {
  assertMember<Hash>(hashSchema, root, 'root')
  if (typeof key === 'string' && key.length > 2 + 2 * longestKey) {
    throw new VerifyError('malformed', 'key', `key: expected at most ${longestKey} bytes, got ${key.length / 2 - 1}`)
  }
  assertMember<Hex>(dataSchema, key, 'key')
  if (nodes.length > key.length)
    throw invalid(key.length, `at most ${key.length} nodes for this key`, String(nodes.length))
  const walk: Walk = { nodes, maxNodeBytes, at: 0 }
  const value =
    root.toLowerCase() === emptyRoot ? passNothing(walk) : descend(walk, bytesFromHex(root), bytesFromHex(key))
  if (walk.at !== nodes.length) throw invalid(walk.at, 'the end of the proof', 'another node')
  return value && hexFromBytes(value)
}

interface Walk {
  readonly nodes: readonly Hex[]
  readonly maxNodeBytes: number
  /** The number of nodes used so far. */
  at: number
}

/** A node of a trie: a branch of 17 items, or a path and a child or value. */
type Node = readonly RlpItem[]

function passNothing(walk: Walk): undefined {
  if (walk.nodes[0] === '0x80') walk.at = 1
}

/** Each turn consumes a digit or is the last, so a proof cannot cause an endless loop. */
function descend(walk: Walk, root: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  let node = hashedNode(walk, root)
  let digits = nibblesOf(key)
  for (;;) {
    let child: Uint8Array | Node
    if (node.length === 17) {
      if (digits.length === 0) return valueOf(walk, node[16]!)
      child = childOf(walk, node[digits[0]!]!)
      if (child.length === 0) return undefined
      digits = digits.subarray(1)
    } else {
      const { nibbles, isLeaf } = pathOf(walk, node[0]!)
      const onTheWay = nibbles.length <= digits.length && nibbles.every((digit, i) => digit === digits[i])
      if (isLeaf) {
        const value = valueOf(walk, node[1]!)
        if (value === undefined) throw broken(walk, 'a value in the leaf', 'none')
        return onTheWay && nibbles.length === digits.length ? value : undefined
      }
      if (nibbles.length === 0) throw broken(walk, 'an extension of at least one digit', 'an empty one')
      child = childOf(walk, node[1]!)
      if (child.length === 0) throw broken(walk, 'a node below the extension', 'none')
      if (!onTheWay) return undefined
      digits = digits.subarray(nibbles.length)
    }
    node = child instanceof Uint8Array ? hashedNode(walk, child) : embeddedNode(walk, child)
  }
}

function hashedNode(walk: Walk, hash: Uint8Array): Node {
  const { nodes, maxNodeBytes, at } = walk
  const hex = nodes[at]
  if (hex === undefined) throw invalid(at, `the node of hash ${hexFromBytes(hash)}`, 'the end of the proof')
  if (typeof hex === 'string' && hex.length > 2 + 2 * maxNodeBytes) {
    throw invalid(at, `a node of at most ${maxNodeBytes} bytes`, String(hex.length / 2 - 1))
  }
  assertMember<Hex>(dataSchema, hex, `[${at}]`)
  const bytes = bytesFromHex(hex)
  const expected = hexFromBytes(hash)
  const received = hexFromBytes(keccak(bytes))
  if (received !== expected) throw invalid(at, `a node of hash ${expected}`, `one of hash ${received}`)
  walk.at++
  return nodeOf(walk, decodeRlp(bytes))
}

function embeddedNode(walk: Walk, item: Node): Node {
  const next = walk.nodes[walk.at]
  // A node referred to by hash is longer, except the root, so the two cannot be confused.
  if (typeof next === 'string' && next.length < 66 && next.toLowerCase() === hexFromBytes(encodeRlp(item))) walk.at++
  return nodeOf(walk, item)
}

function nodeOf(walk: Walk, item: RlpItem): Node {
  if (!(item instanceof Uint8Array) && (item.length === 17 || item.length === 2)) return item
  throw broken(walk, 'a list of 2 or 17 items', item instanceof Uint8Array ? 'a string' : `a list of ${item.length}`)
}

function pathOf(walk: Walk, item: RlpItem): ReturnType<typeof decodeCompactPath> {
  if (item instanceof Uint8Array) return decodeCompactPath(item)
  throw broken(walk, 'a path', 'a list')
}

/** A hash, an embedded node of less than 32 bytes, or no bytes if there is no child. */
function childOf(walk: Walk, item: RlpItem): Uint8Array | Node {
  if (item instanceof Uint8Array) {
    if (item.length === 0 || item.length === 32) return item
    throw broken(walk, 'a hash, a node or nothing', `${item.length} bytes`)
  }
  if (encodeRlp(item).length < 32) return item
  throw broken(walk, 'the hash of a node of 32 bytes or more', 'the node itself')
}

function valueOf(walk: Walk, item: RlpItem): Uint8Array | undefined {
  if (!(item instanceof Uint8Array)) throw broken(walk, 'a value', 'a list')
  return item.length === 0 ? undefined : item
}

function broken(walk: Walk, expected: string, received: string): VerifyError {
  return invalid(walk.at - 1, expected, received)
}

function invalid(at: number, expected: string, received: string): VerifyError {
  return new VerifyError('invalid_proof', `[${at}]`, `proof node ${at}: expected ${expected}, got ${received}`)
}
