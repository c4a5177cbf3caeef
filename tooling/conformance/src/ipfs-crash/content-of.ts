import { createHash } from 'node:crypto'

/** Makes content without a pattern, from one byte to half a megabyte; the same seed gives the same content. */
export function contentOf(seed: number): Buffer {
  const [low = 0, high = 0, isLong = 0] = createHash('sha256').update(`${seed}`).digest()
  const outputLength = 1 + low + 256 * high * (isLong % 8 === 0 ? 8 : 1)
  return createHash('shake256', { outputLength }).update(`${seed}`).digest()
}

/** Chooses the chunker for a seed's content: large blocks are written past the system's cache, small ones are not. */
export function chunkerOf(seed: number): string {
  return seed % 2 === 0 ? 'size-16384' : 'size-131072'
}
