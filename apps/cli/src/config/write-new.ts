import { writeFile } from 'node:fs/promises'
import { UsageError } from '../command.ts'

/** Writes a file that is not there yet, for its owner alone, as URLs of nodes are often secrets. @throws UsageError */
export async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 })
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new UsageError(`${file} is there already, and is left as it is: name another file with --config FILE`)
    }
    throw new UsageError(`${file} cannot be written (${code ?? 'an error'})`)
  }
}
