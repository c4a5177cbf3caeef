import { type BigIntStats, chmodSync, closeSync, openSync, type PathLike, statfsSync, statSync } from 'node:fs'
import type { StoreFault } from './error.ts'

/** The files of an SQLite database in WAL mode: the main one, its log and the index of the log. */
const suffixes = ['', '-wal', '-shm'] as const
/** Free space below which a disk counts as full, in bytes: a commit must not meet its end. */
const leastFreeBytes = 1_048_576
const privately = 0o600

/**
 * Watches the files by their paths: an open connection goes on writing to a file that was deleted, and SQLite says nothing.
 * Nothing here opens them: closing any descriptor of a file ends all POSIX locks that the process, and so SQLite, has on it.
 */
export interface SqliteFiles {
  /** Takes the files that are there now for those of the open connection. */
  adopt(): void
  /** Compares them with those adopted; undefined: nothing is wrong. */
  fault(): StoreFault | undefined
  /** Whether the main file was written since the last question: by a checkpoint, or by somebody else. */
  wasWritten(): boolean
  /** Tells the file at path and suffix: the connection's, another one, or none. */
  ownerOf(suffix: '-wal' | '-shm'): 'own' | 'foreign' | 'none'
  /** Whether the disk has too little room left. */
  isFull(): boolean
}

interface Seen {
  readonly dev: bigint
  readonly ino: bigint
  size: bigint
}

/** Names a file that nobody has open. Its birth tells it from a later file with the same inode. */
export type FileIdentity = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs'>

/** Reads the identity of the file at a path; undefined: there is none. */
export function identify(path: string): FileIdentity | undefined {
  return look(path)
}

/** Whether the file at a path is that one. */
export function isAt(path: string, file: FileIdentity): boolean {
  const found = look(path)
  return found !== undefined && isSame(found, file) && found.birthtimeNs === file.birthtimeNs
}

export function watchSqliteFiles(path: string): SqliteFiles {
  const own = new Map<string, Seen>()
  /** When the main file was written, in ns; undefined: not asked yet. */
  let writtenAt: bigint | undefined

  return {
    adopt() {
      own.clear()
      writtenAt = undefined
      for (const suffix of suffixes) {
        const found = look(path + suffix)
        if (found !== undefined) own.set(suffix, { dev: found.dev, ino: found.ino, size: found.size })
      }
    },
    fault() {
      for (const suffix of suffixes) {
        const mine = own.get(suffix)
        const found = look(path + suffix)
        if (mine === undefined) {
          // SQLite makes its log with the first statement that needs it.
          if (found !== undefined) own.set(suffix, { dev: found.dev, ino: found.ino, size: found.size })
          continue
        }
        if (found === undefined) return suffix === '' ? 'deleted' : 'log_deleted'
        if (!isSame(found, mine)) return suffix === '' ? 'replaced' : 'log_deleted'
        // The index is mapped, and its size tells nothing.
        if (suffix !== '-shm' && found.size < mine.size) return 'truncated'
        if (suffix === '' && (found.mode & 0o222n) === 0n) return 'read_only'
        mine.size = found.size
      }
      return undefined
    },
    wasWritten() {
      const before = writtenAt
      writtenAt = look(path)?.mtimeNs
      return writtenAt !== before
    },
    ownerOf(suffix) {
      const mine = own.get(suffix)
      const found = look(path + suffix)
      if (found === undefined) return 'none'
      return mine !== undefined && isSame(found, mine) ? 'own' : 'foreign'
    },
    isFull: () => isDiskFull(path),
  }
}

/** Whether the disk of a file has too little room left; false where there is no file. */
export function isDiskFull(path: string): boolean {
  if (look(path) === undefined) return false
  const { blocks, bavail, bsize } = statfsSync(path)
  // A file system that counts no blocks has no end to tell.
  return blocks > 0 && bavail * bsize < leastFreeBytes
}

function look(path: PathLike) {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

function isSame(a: Pick<Seen, 'dev' | 'ino'>, b: Pick<Seen, 'dev' | 'ino'>): boolean {
  return a.dev === b.dev && a.ino === b.ino
}

/** Makes an empty file that its user alone may read, unless there is one; SQLite gives its log the same mode. */
export function createPrivately(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', privately))
    return true
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw thrown
  }
}

/** Takes the files from all but their user, where that is this process's. Returns a sentence for each file that was open to others. */
export function tighten(path: string): readonly string[] {
  const uid = process.getuid?.()
  if (uid === undefined) return []
  return suffixes.flatMap((suffix) => {
    const found = look(path + suffix)
    if (found === undefined || (found.mode & 0o077n) === 0n) return []
    const mode = `0${(found.mode & 0o777n).toString(8)}`
    if (found.uid !== BigInt(uid)) {
      return [
        `${path}${suffix} is open to other users (${mode}) and belongs to another one: its mode was left as it is`,
      ]
    }
    chmodSync(path + suffix, privately)
    return [`${path}${suffix} was open to other users (${mode}): it is 0600 now`]
  })
}
