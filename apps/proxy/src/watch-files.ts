import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileFingerprint, realSurroundings, type Surroundings } from '@wayleave/gateway'

export interface FileWatchOptions {
  /** The fingerprints that the files had when they were read, by absolute path. */
  readonly files: ReadonlyMap<string, string>
  /** Called once the content of a file is another, and has been so for 100 ms. */
  readonly onChange: () => void
  readonly clock?: Surroundings['clock']
  /** How often the files are read, whether the system tells of a change or not, in ms. Default 2,000. */
  readonly pollMs?: number
}

export interface FileWatch {
  /** Goes on with these files. Whoever has read them since passes the fingerprints that it found. */
  update(files: ReadonlyMap<string, string>): void
  close(): void
}

/** How long a content has to last, in ms: whoever writes a file in place may not have come to its end. */
const settleMs = 100
/** Looks after which a content that does not last counts, too. */
const mostUnsettled = 10

/**
 * Watches the contents of files. The system's events only make it look at once: they are told of folders, so that a file that is replaced
 * and the `..data` link of a Kubernetes volume are seen, and where none come, each file is read every two seconds.
 */
export function watchFiles({
  files,
  onChange,
  clock = realSurroundings.clock,
  pollMs = 2_000,
}: FileWatchOptions): FileWatch {
  let known = files
  let folders: ReadonlyMap<string, FSWatcher | undefined> = new Map()
  let names = new Set<string>()
  let cancel = (): void => {}
  let dueAt = Infinity
  let closed = false
  let isLooking = false
  /** The last look that found another content, and how many did in a row. */
  let unsettled: { readonly found: string; readonly count: number } | undefined

  function lookIn(ms: number): void {
    const at = clock.now() + ms
    if (closed || at >= dueAt) return
    cancel()
    dueAt = at
    cancel = clock.after(ms, () => {
      dueAt = Infinity
      void look()
    })
  }

  async function look(): Promise<void> {
    // The look that is under way plans the next one.
    if (isLooking) return
    isLooking = true
    const compared = known
    const found = new Map<string, string>()
    for (const path of compared.keys()) found.set(path, await fileFingerprint(path))
    isLooking = false
    if (closed) return
    if (compared === known) judge(found)
    lookIn(unsettled === undefined ? pollMs : settleMs)
  }

  function judge(found: ReadonlyMap<string, string>): void {
    const all = [...found.values()].join()
    if (all === [...known.values()].join()) return void (unsettled = undefined)
    const count = (unsettled?.count ?? 0) + 1
    const isSettled = unsettled?.found === all || count > mostUnsettled
    unsettled = isSettled ? undefined : { found: all, count }
    if (!isSettled) return
    known = found
    onChange()
  }

  function watchFolders(): void {
    names = new Set([...known.keys()].map((path) => basename(path)))
    const wanted = new Set([...known.keys()].map((path) => dirname(path)))
    for (const [folder, watcher] of folders) if (!wanted.has(folder)) watcher?.close()
    folders = new Map([...wanted].map((folder) => [folder, folders.get(folder) ?? watchFolder(folder)]))
  }

  function watchFolder(folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || names.has(name) || name.startsWith('..')) lookIn(settleMs)
      })
      // The files are read all the same.
      return watcher.on('error', () => watcher.close())
    } catch {
      return undefined
    }
  }

  watchFolders()
  lookIn(pollMs)
  return {
    update(read) {
      known = read
      unsettled = undefined
      if (!closed) watchFolders()
    },
    close() {
      closed = true
      cancel()
      for (const watcher of folders.values()) watcher?.close()
    },
  }
}
