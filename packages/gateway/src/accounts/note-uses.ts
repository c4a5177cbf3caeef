import type { KeyDirectory } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { AccountSource } from '../store.ts'
import { repeat } from '../waits.ts'

export interface NoteUsesOptions {
  readonly directory: Pick<KeyDirectory, 'takeUsed'>
  readonly store: Pick<AccountSource, 'touch' | 'fault'>
  readonly clock: Clock
}

/** Time between two notes, in ms. */
const everyMs = 10_000

/** Notes in the store when keys were used last. While it is away, the uses stay in the directory, one for each key. */
export function noteUses({ directory, store, clock }: NoteUsesOptions): { close(): Promise<void> } {
  async function note(): Promise<void> {
    if (store.fault() !== undefined) return
    const uses = directory.takeUsed()
    // The watch over the store tells failures; a use that is lost is noted with the next one of its key.
    if (uses.length > 0) await store.touch(uses).catch(() => {})
  }

  const stop = repeat(note, everyMs, clock)
  return {
    async close() {
      await stop()
      await note()
    },
  }
}
