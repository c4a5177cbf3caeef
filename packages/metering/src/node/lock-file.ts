import { writeFile } from 'node:fs/promises'
import { MeteringError } from '../error.ts'

/** SQLite's code for a database that another connection has locked. */
const busy = 5

/**
 * Locks a file through an empty SQLite database beside it, `<path>.lock`, which is never removed. Node has no locks of files; those of
 * SQLite are the kernel's, so they end with their process, also with one that was killed, and hold in another container, too.
 * @returns the end of the lock
 * @throws MeteringError `in_use` where another process, or this one, has locked it; the file system's error
 */
export async function lockFile(path: string): Promise<() => void> {
  const place = `${path}.lock`
  // SQLite tells no reason where it cannot make a file, and would let others read it. An existing one must not be opened here: closing
  // any descriptor of a file ends all locks that the process has on it.
  await writeFile(place, '', { flag: 'wx', mode: 0o600 }).catch((why: NodeJS.ErrnoException) => {
    if (why.code !== 'EEXIST') throw why
  })
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(place, { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (cause) {
    database.close()
    const isBusy = ((cause as { readonly errcode?: number }).errcode ?? 0) % 256 === busy
    if (!isBusy) throw cause
    throw new MeteringError(
      'in_use',
      `${path} is in use by another process: stop that one, or give each process a spool of its own`,
      { cause },
    )
  }
  return () => database.close()
}
