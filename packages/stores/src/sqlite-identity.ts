import { pathToFileURL } from 'node:url'
import type * as Sqlite from 'node:sqlite'

/** The file of a database as it is on the disk, without the log: the state of the last checkpoint. */
export interface OnDisk {
  /** Tells the database from others: `application_id`, made at random once. */
  readonly id: number
  /** Never falls in one database, so that an earlier state of it, such as a backup, is told from this one. */
  readonly beats: number
}

/**
 * Reads the file past its log; undefined where that is no database of ours. SQLite itself opens and closes it, as closing any other
 * descriptor would end the locks of this process.
 */
export function readOnDisk(sqlite: typeof Sqlite, path: string): OnDisk | undefined {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  let file: Sqlite.DatabaseSync | undefined
  try {
    file = new sqlite.DatabaseSync(url, { readOnly: true })
    return read(file)
  } catch {
    return undefined
  } finally {
    file?.close()
  }
}

/** Reads the same through a connection, with what is in the log. */
export function read(db: Sqlite.DatabaseSync): OnDisk {
  const { application_id: id } = db.prepare('pragma application_id').get()!
  const { beats } = db.prepare('select beats from store_probe').get()!
  return { id: Number(id), beats: Number(beats) }
}

/** Whether the file is what a checkpoint left: of this database, not before the state that was seen last, and not beyond the log. */
export function isOf(found: OnDisk, { seen, now }: { readonly seen: OnDisk; readonly now: OnDisk }): boolean {
  return found.id === seen.id && found.beats >= seen.beats && found.beats <= now.beats
}
