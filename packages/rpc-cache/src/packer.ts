import type { Compression } from './compression.ts'
import type { KeptAnswer } from './kept-answer.ts'

/** Fewest bytes of a body that is compressed: below, a hit would cost more than it saves. */
const fewestBytes = 65_536
/** Most bodies that are compressed at once; a further one stays as it is. */
const mostAtOnce = 4
/** The largest share of its length that a compressed body may have. */
const worthwhile = 0.8

/** Compresses bodies, and gives them back. */
export interface Packer {
  /** Undefined at once for a body that stays as it is; resolves with undefined where compressing is not worth it. Never rejects. */
  pack(body: string | Uint8Array): Promise<Uint8Array | undefined> | undefined
  /** Resolves with the body as it was; undefined where it cannot be read. Never rejects. */
  unpack(kept: KeptAnswer): Promise<Uint8Array | undefined>
}

/** Creates the packer of a cache. */
export function createPacker(compression: Compression | undefined): Packer {
  let running = 0
  return {
    pack(body) {
      if (compression === undefined || typeof body === 'string') return undefined
      if (body.byteLength < fewestBytes || running >= mostAtOnce) return undefined
      running++
      return compression
        .compress(body)
        .then(
          // A copy: the codec's buffer may be longer than what it gave.
          (packed) => (packed.byteLength <= body.byteLength * worthwhile ? new Uint8Array(packed) : undefined),
          () => undefined,
        )
        .finally(() => void running--)
    },
    async unpack({ body, byteLength }) {
      if (compression === undefined || typeof body === 'string') return undefined
      try {
        const bytes = await compression.decompress(body, byteLength)
        return bytes.byteLength === byteLength ? bytes : undefined
      } catch {
        return undefined
      }
    },
  }
}
