import { keccak } from '../keccak.ts'
import { encodeRlp, type RlpItem } from '../rlp.ts'
import { encodeCompactPath, nibblesOf } from './compact-path.ts'

interface Entry {
  readonly path: Uint8Array
  readonly value: Uint8Array
}

const nothing = new Uint8Array(0)

/**
 * The root of the trie that maps each value's index, in RLP, to the value. Headers have it for transactions, receipts and
 * withdrawals. No value may be empty. Source: Yellow Paper, appendix D.
 */
export function orderedRoot(values: readonly Uint8Array[]): Uint8Array {
  if (values.length === 0) return keccak(encodeRlp(nothing))
  return keccak(encodeRlp(nodeOf(entriesOf(values), 0)))
}

/** The entries in lexical order of their keys. As RLP, index 0 comes after 127, and no index is a prefix of another. */
function entriesOf(values: readonly Uint8Array[]): Entry[] {
  const entries: Entry[] = []
  const add = (value: Uint8Array, index: number): void => {
    entries.push({ path: nibblesOf(indexKey(index)), value })
  }
  for (const [i, value] of values.slice(1, 128).entries()) add(value, i + 1)
  add(values[0]!, 0)
  for (const [i, value] of values.slice(128).entries()) add(value, i + 128)
  return entries
}

function indexKey(index: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = index; rest > 0; rest >>>= 8) bytes.unshift(rest & 255)
  return encodeRlp(Uint8Array.from(bytes))
}

/** The node of sorted entries whose paths agree before digit `depth`. */
function nodeOf(entries: readonly Entry[], depth: number): RlpItem {
  const { path, value } = entries[0]!
  if (entries.length === 1) return [encodeCompactPath({ nibbles: path.subarray(depth), isLeaf: true }), value]
  // The entries are sorted, so all share the digits that the first and the last share.
  const last = entries.at(-1)!.path
  let fork = depth
  while (path[fork] === last[fork]) fork++
  if (fork === depth) return branchOf(entries, depth)
  const shared = encodeCompactPath({ nibbles: path.subarray(depth, fork), isLeaf: false })
  return [shared, referenceTo(branchOf(entries, fork))]
}

function branchOf(entries: readonly Entry[], depth: number): RlpItem {
  const children: RlpItem[] = Array.from({ length: 17 }, () => nothing)
  for (let start = 0; start < entries.length;) {
    const digit = entries[start]!.path[depth]!
    let end = start + 1
    while (end < entries.length && entries[end]!.path[depth] === digit) end++
    children[digit] = referenceTo(nodeOf(entries.slice(start, end), depth + 1))
    start = end
  }
  return children
}

/** Embeds a node of less than 32 bytes in its parent, and refers to a longer one by its hash. */
function referenceTo(node: RlpItem): RlpItem {
  const encoded = encodeRlp(node)
  return encoded.length < 32 ? node : keccak(encoded)
}
