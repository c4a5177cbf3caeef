import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FoundPeer, findProgram, run } from '../src/peers/peer.ts'

const source = fileURLToPath(new URL('.', import.meta.url))

/** Builds the collector of `main.go` into a folder if Go is installed: some minutes the first time, a second once Go's own cache has it. */
export async function provideCollector(folder: string, report: (line: string) => void): Promise<FoundPeer> {
  if (findProgram('go') === undefined) return { missing: 'go, which builds it, is not on the PATH' }
  const path = join(folder, 'wayleave-collector')
  report('building the collector with go; the first time this takes a while')
  try {
    await mkdir(folder, { recursive: true })
    await run('go', ['build', '-trimpath', '-buildvcs=false', '-o', path, '.'], { cwd: source })
    return { path }
  } catch (thrown) {
    return { missing: `it could not be built: ${(thrown as Error).message}` }
  }
}
