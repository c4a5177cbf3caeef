import type { SharedPort } from './shared-port.ts'

/** Names that processes use, each with a note of its first use. A name is forgotten 15 minutes after its last use. */
export interface SharedUses {
  /** Tells the others that a name is used here. */
  use(name: string, note: string): void
  /** Whether any process uses it. */
  isUsed(name: string): boolean
  /** Resolves when the others know what is used here, or cannot be reached. Undefined where this process is alone. */
  settled?(): Promise<unknown>
  /** Calls `listener`, which must not throw, with each name that another process begins to use, and at once with those that are known. */
  watch(listener: (name: string, note: string) => void): () => void
}

const mostNames = 64
const forMs = 900_000

/** Opens the names of a set. */
export function createSharedUses(port: SharedPort, set: string): SharedUses {
  const names = port.numbers(`uses:${set}`, { most: mostNames, forMs })
  const { settled } = names
  return {
    use: (name, note) => names.max(name, 1, note),
    isUsed: (name) => names.get(name) !== undefined,
    ...(settled && { settled: () => settled() }),
    watch(listener) {
      for (const [name, { note }] of names.list()) listener(name, note)
      return names.watch(([name, , , note]) => listener(name, note))
    },
  }
}
