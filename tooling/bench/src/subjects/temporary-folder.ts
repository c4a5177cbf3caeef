import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a folder that is removed when it is closed, or with the process. */
export interface TemporaryFolder {
  readonly path: string
  close(): void
}

export function createTemporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `wayleave-bench-${name}-`))
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  process.once('exit', remove)
  return {
    path,
    close() {
      process.off('exit', remove)
      remove()
    },
  }
}
