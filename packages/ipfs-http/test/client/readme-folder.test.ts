import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startTestHost } from './test-host.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

it('the program of the README puts a folder on a host, with a percentage', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const [, program = ''] = /^```ts folder\.ts\n([^]*?)^```$/m.exec(readme) ?? []
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
  // Below the package, so that it finds the package's own name.
  const dir = await mkdtemp(join(here, '.folder-'))
  try {
    await mkdir(join(dir, 'site'))
    await writeFile(join(dir, 'site/index.html'), '<h1>hello</h1>')
    await writeFile(join(dir, 'site/big'), Buffer.alloc(1_000_000))
    await writeFile(join(dir, 'folder.ts'), program)
    await using host = await startTestHost()
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@wayleave/source', join(dir, 'folder.ts')],
      { cwd: dir, env: { ...process.env, IPFS_URL: host.url } },
    )
    expect(stderr.split('\r').filter((text) => text !== '')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\d+ %$/), '100 %']),
    )
    const shares = stderr.split('\r').map(Number.parseFloat).filter(Number.isFinite)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares[0]).toBeLessThan(100)
    expect(stdout).toMatch(/^\nipfs:\/\/Qm\w{44}\n$/)
  } finally {
    await rm(dir, { recursive: true })
  }
})
