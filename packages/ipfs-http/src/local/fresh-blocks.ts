import type { CID } from 'multiformats/cid'
import { codecCodes } from '../codec-codes.ts'

/** Short blocks with links that a request has just written: its walk from a root finds them without the disk. */
export interface FreshBlocks {
  /** Keeps a copy, as far as there is room. */
  keep(key: string, cid: CID, bytes: Uint8Array): void
  get(key: string): Uint8Array | undefined
  /** Gives the room back. */
  end(): void
}

/** The longest block that is kept, in bytes: directories, and nodes of small files. */
const longest = 1_024
/** The most memory of all requests together, and what a block takes beside its bytes. */
const mostBytes = 16 * 1024 * 1024
const place = 512

/** Creates the room that requests share; what it returns opens the blocks of one of them. */
export function createFreshBlocks(): () => FreshBlocks {
  let held = 0
  return () => {
    const blocks = new Map<string, Uint8Array>()
    return {
      keep(key, { code }, bytes) {
        const cost = bytes.length + place
        if (code === codecCodes.raw || bytes.length > longest || held + cost > mostBytes || blocks.has(key)) return
        held += cost
        // Not a view of all that came with it.
        blocks.set(key, bytes.slice())
      },
      get: (key) => blocks.get(key),
      end() {
        for (const { length } of blocks.values()) held -= length + place
        blocks.clear()
      },
    }
  }
}
