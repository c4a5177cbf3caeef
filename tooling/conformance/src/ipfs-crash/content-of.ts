import { createHash } from 'node:crypto'

/** Between one byte and half a megabyte without a pattern, the same for the same seed. */
export function contentOf(seed: number): Buffer {
  const [low = 0, high = 0, isLong = 0] = createHash('sha256').update(`${seed}`).digest()
  const outputLength = 1 + low + 256 * high * (isLong % 8 === 0 ? 8 : 1)
  return createHash('shake256', { outputLength }).update(`${seed}`).digest()
}

/** How the content of this seed is cut: large blocks are written past the cache of the system, small ones are not. */
export function chunkerOf(seed: number): string {
  return seed % 2 === 0 ? 'size-16384' : 'size-131072'
}
