import { createHash } from 'node:crypto'
import { IpfsError } from '../error.ts'

/** A set of blocks that were met. Costs 21 to 43 bytes a block, and a third more while it grows. */
export interface DigestSet {
  /** The number of blocks. */
  readonly size: number
  /** Adds a multihash, and tells whether it was new. @throws IpfsError `too_large` beyond `most` */
  add(multihash: Uint8Array, codec?: number): boolean
  has(multihash: Uint8Array, codec?: number): boolean
}

/** The part of the slots that may be taken. */
const load = 0.75
/** 32-bit words of a slot. */
const words = 4

/**
 * Keeps 128 bits of each block's SHA-256, so that content of several terabytes can be walked. Nobody can choose these
 * bits. Otherwise an attacker could make another's block look like one that was met already, and have the blocks below it
 * removed. Walks pass `codec`: the same bytes under another codec have other links.
 */
export function createDigestSet(most: number = Number.POSITIVE_INFINITY): DigestSet {
  let slots = new Uint32Array(words * 64)
  let size = 0
  const key = new Uint32Array(words)

  /** Finds the place of the key, or the free slot that it would take. */
  const find = (): number => {
    const mask = slots.length / words - 1
    for (let slot = key[0]! & mask; ; slot = (slot + 1) & mask) {
      const at = slot * words
      if (isFree(slots, at)) return at
      if (slots[at] === key[0] && slots[at + 1] === key[1] && slots[at + 2] === key[2] && slots[at + 3] === key[3]) {
        return at
      }
    }
  }

  const grow = (): void => {
    const old = slots
    slots = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += words) {
      if (isFree(old, at)) continue
      key.set(old.subarray(at, at + words))
      slots.set(key, find())
    }
  }

  return {
    get size() {
      return size
    },
    has(multihash, codec = 0) {
      readKey(key, multihash, codec)
      return !isFree(slots, find())
    },
    add(multihash, codec = 0) {
      readKey(key, multihash, codec)
      const at = find()
      if (!isFree(slots, at)) return false
      if (size === most) {
        throw new IpfsError('too_large', `content of more than ${most} blocks cannot be walked at once`)
      }
      slots.set(key, at)
      size++
      if (size > (slots.length / words) * load) grow()
      return true
    },
  }
}

/** Whether a slot is free: the last word of a key is never 0. */
function isFree(slots: Uint32Array, at: number): boolean {
  return slots[at + words - 1] === 0
}

/** Reads the key of a multihash. Hashes it unless it is a whole SHA-256: an identity CID or a short digest could be made to look like any other. */
function readKey(key: Uint32Array, multihash: Uint8Array, codec: number): void {
  const isSha256 = multihash.length === 34 && multihash[0] === 0x12 && multihash[1] === 32
  const bytes = isSha256 ? multihash.subarray(2) : createHash('sha256').update(multihash).digest()
  const view = new DataView(bytes.buffer, bytes.byteOffset, words * 4)
  for (let word = 0; word < words; word++) key[word] = view.getUint32(word * 4)
  key[1]! ^= codec
  key[words - 1]! ||= 1
}
