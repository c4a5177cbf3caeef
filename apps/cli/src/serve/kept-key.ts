import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiKey } from '@wayleave/auth'
import { UsageError } from '../command.ts'

/** The key of `wayleave serve --upstream`, which its data folder keeps. */
export interface KeptKey {
  /** 16 to 128 letters, digits, `-` and `_`. */
  readonly key: string
  readonly file: string
  /** Whether it was made just now. */
  readonly isNew: boolean
}

/** Reads the key of a data folder; makes both if missing. Only its owner may read the file. @throws UsageError */
export async function keepKey(dataDir: string): Promise<KeptKey> {
  const file = join(dataDir, 'key')
  try {
    await mkdir(dataDir, { recursive: true })
    const made = createApiKey()
    // Two that start at once have one key: the first one's.
    const isNew = await writeFile(file, `${made}\n`, { flag: 'wx', mode: 0o600 }).then(() => true, rejectUnlessThere)
    const key = isNew ? made : (await readFile(file, 'utf8')).trim()
    if (/^[\w-]{16,128}$/.test(key)) return { key, file, isNew }
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === undefined) throw thrown
    throw new UsageError(`--data-dir: expected a folder that can be written, got "${dataDir}" (${code})`)
  }
  throw new UsageError(
    `${file}: expected a key of 16 to 128 letters, digits, - and _; delete the file to get a new one`,
  )
}

function rejectUnlessThere(thrown: unknown): false {
  if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false
  throw thrown
}
