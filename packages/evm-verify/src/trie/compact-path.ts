import { VerifyError } from '../error.ts'

/** The path in a leaf or an extension: its digits, 0 to 15 each, and which of both it is. */
export interface CompactPath {
  readonly nibbles: Uint8Array
  readonly isLeaf: boolean
}

/** The digits of a key, two per byte, the high one first. */
export function nibblesOf(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2)
  for (const [i, byte] of key.entries()) {
    nibbles[2 * i] = byte >> 4
    nibbles[2 * i + 1] = byte & 15
  }
  return nibbles
}

/** Packs digits into bytes, with a flag for a leaf. Source: Yellow Paper, appendix C. */
export function encodeCompactPath({ nibbles, isLeaf }: CompactPath): Uint8Array {
  const isOdd = nibbles.length % 2
  const packed = new Uint8Array(1 + (nibbles.length >> 1))
  packed[0] = (isLeaf ? 0x20 : 0) + (isOdd ? 0x10 + nibbles[0]! : 0)
  for (let i = 1; i < packed.length; i++) {
    const at = 2 * i - 2 + isOdd
    packed[i] = nibbles[at]! * 16 + nibbles[at + 1]!
  }
  return packed
}

/** Reverses {@link encodeCompactPath}. Each path has one form; any other is refused. @throws VerifyError `malformed` */
export function decodeCompactPath(packed: Uint8Array): CompactPath {
  const flag = packed[0]
  if (flag === undefined || flag > 0x3f || ((flag & 0x10) === 0 && (flag & 15) !== 0)) {
    const received = flag === undefined ? 'nothing' : `0x${flag.toString(16).padStart(2, '0')}`
    throw new VerifyError(
      'malformed',
      '',
      `path of a trie node: expected a first byte of 0x00, 0x1n, 0x20 or 0x3n, got ${received}`,
    )
  }
  const nibbles = nibblesOf(packed)
  return { nibbles: nibbles.subarray((flag & 0x10) === 0 ? 2 : 1), isLeaf: (flag & 0x20) !== 0 }
}
