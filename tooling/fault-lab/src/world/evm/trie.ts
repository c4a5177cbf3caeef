import { bytes, hex, keccak, rlp, type RlpItem } from './bytes.ts'
import type { Hex } from '@wayleave/evm-types'

/** A node of a Merkle Patricia trie. It never changes: putting makes new nodes on the way only. */
type Node =
  | { readonly kind: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array; encoded?: Uint8Array }
  | { readonly kind: 'extension'; readonly path: Uint8Array; readonly child: Node; encoded?: Uint8Array }
  | { readonly kind: 'branch'; readonly children: readonly (Node | undefined)[]; encoded?: Uint8Array }

/** A trie whose keys are hashes, all of one length. Source: Yellow Paper, appendix D. */
export interface Trie {
  readonly node: Node | undefined
}

export const emptyTrie: Trie = { node: undefined }

const nothing = new Uint8Array(0)

/** Puts a value that is not empty under the hash of `key`. */
export function put(trie: Trie, key: Hex, value: Uint8Array): Trie {
  return { node: insert(trie.node, pathOf(key), value) }
}

export function rootOf({ node }: Trie): Hex {
  return hex(node === undefined ? keccak(rlp(nothing)) : keccak(encoded(node)))
}

/** The nodes on the way to the hash of `key`, or to the place where it is missing. */
export function prove({ node }: Trie, key: Hex): readonly Hex[] {
  const path = pathOf(key)
  const proof: Hex[] = []
  let at = 0
  for (let next = node; next !== undefined;) {
    const bytesOf = encoded(next)
    if (bytesOf.length >= 32 || proof.length === 0) proof.push(hex(bytesOf))
    if (next.kind === 'leaf') break
    if (next.kind === 'branch') next = next.children[path[at++]!]
    else {
      const { path: shared } = next
      if (!shared.every((nibble, i) => path[at + i] === nibble)) break
      at += shared.length
      next = next.child
    }
  }
  return proof
}

const paths = new Map<Hex, Uint8Array>()

/** Hashes are dear, and the keys of all runs are few. */
function pathOf(key: Hex): Uint8Array {
  let path = paths.get(key)
  if (path === undefined) {
    if (paths.size > 10_000) paths.clear()
    paths.set(key, (path = Uint8Array.from([...keccak(bytes(key))].flatMap((byte) => [byte >> 4, byte & 15]))))
  }
  return path
}

function insert(node: Node | undefined, path: Uint8Array, value: Uint8Array): Node {
  if (node === undefined) return { kind: 'leaf', path, value }
  if (node.kind === 'branch') {
    const children = [...node.children]
    children[path[0]!] = insert(children[path[0]!], path.subarray(1), value)
    return { kind: 'branch', children }
  }
  let same = 0
  while (same < node.path.length && node.path[same] === path[same]) same++
  if (same === node.path.length) {
    if (node.kind === 'leaf') return { kind: 'leaf', path, value }
    return { kind: 'extension', path: node.path, child: insert(node.child, path.subarray(same), value) }
  }
  const children: (Node | undefined)[] = Array.from({ length: 16 }, () => undefined)
  const rest = node.path.subarray(same + 1)
  if (node.kind === 'leaf') children[node.path[same]!] = { kind: 'leaf', path: rest, value: node.value }
  else
    children[node.path[same]!] = rest.length === 0 ? node.child : { kind: 'extension', path: rest, child: node.child }
  children[path[same]!] = { kind: 'leaf', path: path.subarray(same + 1), value }
  const branch: Node = { kind: 'branch', children }
  return same === 0 ? branch : { kind: 'extension', path: path.subarray(0, same), child: branch }
}

function encoded(node: Node): Uint8Array {
  return (node.encoded ??= rlp(itemOf(node)))
}

function itemOf(node: Node): RlpItem {
  if (node.kind === 'leaf') return [compact(node.path, true), node.value]
  if (node.kind === 'extension') return [compact(node.path, false), reference(node.child)]
  return [...node.children.map((child) => (child === undefined ? nothing : reference(child))), nothing]
}

function reference(node: Node): RlpItem {
  const bytesOf = encoded(node)
  return bytesOf.length < 32 ? itemOf(node) : (hashes.get(node) ?? remembered(node, bytesOf))
}

const hashes = new WeakMap<Node, Uint8Array>()

function remembered(node: Node, bytesOf: Uint8Array): Uint8Array {
  const hash = keccak(bytesOf)
  hashes.set(node, hash)
  return hash
}

/** Packs nibbles with their number's parity and the kind of their node. */
function compact(path: Uint8Array, isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0
  const nibbles = path.length % 2 === 0 ? [flag, 0, ...path] : [flag + 1, ...path]
  return Uint8Array.from({ length: nibbles.length / 2 }, (_, i) => (nibbles[2 * i]! << 4) | nibbles[2 * i + 1]!)
}
