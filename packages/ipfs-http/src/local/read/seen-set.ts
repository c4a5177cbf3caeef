import { createHash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'

/** Which blocks a walk has met. Costs 21 to 43 bytes a block, and a third more for as long as it grows. */
export interface SeenSet {
  readonly size: number
  /** False: it was there already. @throws IpfsError `too_large` beyond `most` */
  add(cid: CID): boolean
  has(cid: CID): boolean
}

const sha256 = 0x12
/** Of the slots, so many may be taken. */
const load = 0.75

/**
 * Keeps 128 bits of each block's hash, so that content of several terabytes can be walked. Two blocks that are taken
 * for one would need a collision of 128 bits of SHA-256.
 */
export function createSeenSet(most: number = 2 ** 26): SeenSet {
  let slots = new BigUint64Array(2 * 1024)
  let size = 0

  /** Where the key stands, or the free slot that it would take. */
  const find = (into: BigUint64Array, one: bigint, other: bigint): number => {
    const mask = into.length / 2 - 1
    for (let slot = Number(one & 0xffffffffn) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * 2
      if (into[at] === 0n && into[at + 1] === 0n) return at
      if (into[at] === one && into[at + 1] === other) return at
    }
  }

  const grow = (): void => {
    const larger = new BigUint64Array(slots.length * 2)
    for (let at = 0; at < slots.length; at += 2) {
      const [one, other] = [slots[at] as bigint, slots[at + 1] as bigint]
      if (one === 0n && other === 0n) continue
      const to = find(larger, one, other)
      larger[to] = one
      larger[to + 1] = other
    }
    slots = larger
  }

  return {
    get size() {
      return size
    },
    has(cid) {
      const [one, other] = keyOf(cid)
      const at = find(slots, one, other)
      return slots[at] === one && slots[at + 1] === other
    },
    add(cid) {
      const [one, other] = keyOf(cid)
      const at = find(slots, one, other)
      if (slots[at] === one && slots[at + 1] === other) return false
      if (size === most)
        throw new IpfsError('too_large', `content of more than ${most} blocks cannot be walked at once`)
      slots[at] = one
      slots[at + 1] = other
      size++
      if (size > (slots.length / 2) * load) grow()
      return true
    },
  }
}

/** The same bytes under another codec have other links, so they count as another block. */
function keyOf(cid: CID): readonly [bigint, bigint] {
  const { code, digest } = cid.multihash
  const bytes = code === sha256 && digest.length === 32 ? digest : createHash('sha256').update(cid.bytes).digest()
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16)
  const [one, other] = [view.getBigUint64(0), view.getBigUint64(8) ^ BigInt(cid.code)]
  return one === 0n && other === 0n ? [0n, 1n] : [one, other]
}
