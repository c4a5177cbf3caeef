import { join } from 'node:path'
import { syncFolder } from './disk.ts'
import { createTurns } from './turns.ts'

/** Most folders that are synced at a time. */
const mostAtOnce = 16

/** Makes the names of new files survive a loss of power. */
export interface NameSync {
  /** Notes that this folder of the store has a new name in it; '' is the store's own. */
  add(folder: string): void
  /** Resolves when all names that were added until now are safe. */
  sync(): Promise<void>
  /** Settles as the sync that runs. */
  settled(): Promise<void>
}

/** Syncs the folders of the store `dir`, each time by `run`, which may refuse. */
export function createNameSync(dir: string, run: (work: () => Promise<void>) => Promise<void>): NameSync {
  const takeTurn = createTurns(mostAtOnce)
  let unsynced = new Set<string>()
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  const syncAll = async (): Promise<void> => {
    const folders = unsynced
    unsynced = new Set()
    try {
      // The folder of folders comes last: it must not promise one whose files are not safe yet.
      const inside = [...folders].filter((folder) => folder !== '')
      await Promise.all(inside.map((folder) => takeTurn(() => syncFolder(join(dir, folder)))))
      if (folders.has('')) await syncFolder(dir)
    } catch (error) {
      for (const folder of folders) unsynced.add(folder)
      throw error
    }
  }

  return {
    add: (folder) => void unsynced.add(folder),
    sync() {
      // A call that comes while one runs needs another one. All that come until that begins share it.
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined
          running = run(syncAll)
          return running
        })
      return next
    },
    settled: () => running,
  }
}
