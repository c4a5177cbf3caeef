import type { Position } from '@wayleave/upstream'

/** Final blocks that answers name, and whose hashes are not followed any more. */
export interface NamedBlocks {
  /**
   * Whether an answer names a block of the chain: `ask` gives the hash at its height, from the second time on that the question `key` is
   * answered. What is asked but once costs nothing. Never rejects.
   */
  confirms(key: string, place: Position, ask: () => Promise<string | undefined>): Promise<boolean>
  /** Forgets all, as blocks that were final may have been replaced. */
  forget(): void
}

/** Questions that were answered once, and hashes, that are remembered. */
const mostRemembered = 1_024
const longestKey = 256

export function createNamedBlocks(): NamedBlocks {
  const once = new Set<string>()
  const hashes = new Map<number, string>()
  let forgotten = 0

  return {
    async confirms(key, { number, hash }, ask) {
      const known = hashes.get(number)
      if (known !== undefined) return known === hash
      if (key.length > longestKey) return false
      if (!once.delete(key)) {
        if (once.size >= mostRemembered) once.delete(once.values().next().value!)
        once.add(key)
        return false
      }
      const since = forgotten
      const told = await ask().catch(() => undefined)
      if (told === undefined || since !== forgotten) return false
      if (hashes.size >= mostRemembered) hashes.delete(hashes.keys().next().value!)
      hashes.set(number, told)
      return told === hash
    },
    forget() {
      forgotten++
      hashes.clear()
    },
  }
}
