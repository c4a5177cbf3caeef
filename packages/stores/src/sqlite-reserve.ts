import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type * as Sqlite from 'node:sqlite'
import { noise } from './defaults.ts'

/** Bytes set aside for a database: the log of many thousands of changes. */
const reserveBytes = 8 * 1_048_576
/** Bytes of it that are left to the index of the log, and to others. */
const leftBytes = 262_144
/** Bytes that must be free beside the reserve before it is made, so that it is never what fills a disk. */
const roomBeside = 2 * reserveBytes

/** Space of the disk that is set aside while there is plenty, and becomes the database's log when the disk is full. */
export interface Reserve {
  /** Whether it was given, and is not made again. */
  readonly isGiven: boolean
  /** Gives the space to the log of the database, once `db` has moved what it can to the file. False: there was none to give. */
  give(db?: Sqlite.DatabaseSync): boolean
  /** Makes the reserve if the disk has room for it; `isBack`: with the space that the log gave back as it was removed. */
  make(isBack?: boolean): void
}

/** Keeps the reserve of the database at `path`, a file beside it. */
export function createReserve(path: string): Reserve {
  const file = `${path}.reserve`
  let isGiven = false
  const has = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

  return {
    get isGiven() {
      return isGiven
    },
    give(db) {
      const had = has()
      if (had === 0) return false
      isGiven = true
      rmSync(file, { force: true })
      checkpoint(db)
      // Before anybody else takes it. SQLite overwrites the end of its log, and in a recovery stops before it.
      append(`${path}-wal`, had - leftBytes)
      return true
    },
    make(isBack = false) {
      if (has() === reserveBytes) isGiven = false
      else if (isBack || hasRoom(path)) {
        rmSync(file, { force: true })
        isGiven = append(file, reserveBytes) < reserveBytes
      }
    },
  }
}

function hasRoom(path: string): boolean {
  const { blocks, bavail, bsize } = statfsSync(dirname(path))
  // A file system that counts no blocks has no end to prepare for.
  return blocks > 0 && bavail * bsize >= reserveBytes + roomBeside
}

/** Moves what the log holds to the file, which may have to grow for it. */
function checkpoint(db: Sqlite.DatabaseSync | undefined): void {
  try {
    db?.exec('pragma wal_checkpoint')
  } catch {
    // A transaction is open: SQLite does so later.
  }
}

/** Appends bytes that no file system can compress, as far as there is room for them; returns how many. */
function append(file: string, bytes: number): number {
  const piece = noise(1_048_576)
  let written = 0
  try {
    const descriptor = openSync(file, 'a', 0o600)
    try {
      while (written < bytes) written += writeSync(descriptor, piece, 0, Math.min(piece.length, bytes - written))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The disk is fuller than it was.
  }
  return written
}
