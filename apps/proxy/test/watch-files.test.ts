import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileFingerprint } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { type FileWatch, type FileWatchOptions, watchFiles } from '../src/watch-files.ts'

interface Watched extends FileWatch {
  readonly changes: () => number
}

async function watched(
  paths: readonly string[],
  options: Partial<FileWatchOptions> = {},
  onChange: () => void = () => {},
): Promise<Watched> {
  let changes = 0
  const files = new Map<string, string>()
  for (const path of paths) files.set(path, await fileFingerprint(path))
  const watch = watchFiles({
    files,
    onChange() {
      changes++
      onChange()
    },
    ...options,
  })
  onTestFinished(() => watch.close())
  return { ...watch, changes: () => changes }
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'wayleave-watch-'))
  onTestFinished(() => rm(made, { recursive: true }))
  return made
}

/** Longer than any test: only the system's events can tell. */
const never = 600_000

it('tells of a file that is written in place, once', async () => {
  const file = join(await folder(), 'a')
  await writeFile(file, 'one')
  const { changes } = await watched([file], { pollMs: never })
  await writeFile(file, 'two')
  await expect.poll(changes, { timeout: 5_000 }).toBe(1)
  await writeFile(file, 'three')
  await expect.poll(changes, { timeout: 5_000 }).toBe(2)
})

it('tells of a file that another takes the place of', async () => {
  const file = join(await folder(), 'a')
  await writeFile(file, 'one')
  const { changes } = await watched([file], { pollMs: never })
  await writeFile(`${file}.new`, 'two')
  await rename(`${file}.new`, file)
  await expect.poll(changes, { timeout: 5_000 }).toBe(1)
})

it('tells of a volume of Kubernetes, whose ..data link is swapped', async () => {
  const volume = await folder()
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(join(volume, name))
    await writeFile(join(volume, name, 'config.yaml'), text)
    await symlink(name, join(volume, '..data_tmp'))
    await rename(join(volume, '..data_tmp'), join(volume, '..data'))
  }
  await put('..2026_01', 'one')
  const file = join(volume, 'config.yaml')
  await symlink(join('..data', 'config.yaml'), file)
  const { changes } = await watched([file], { pollMs: never })
  await put('..2026_02', 'two')
  await rm(join(volume, '..2026_01'), { recursive: true })
  await expect.poll(changes, { timeout: 5_000 }).toBe(1)
})

it('reads the files where the system tells nothing, as of a link to elsewhere', async () => {
  const [here, elsewhere] = [await folder(), await folder()]
  await writeFile(join(elsewhere, 'b'), 'one')
  await symlink(join(elsewhere, 'b'), join(here, 'a'))
  const { changes } = await watched([join(here, 'a')], { pollMs: 20 })
  await writeFile(join(elsewhere, 'b'), 'two')
  await expect.poll(changes, { timeout: 5_000 }).toBe(1)
})

it('tells of a file that comes, whose folder was not there either', async () => {
  const file = join(await folder(), 'later', 'a')
  const { changes } = await watched([file], { pollMs: 20 })
  await mkdir(join(file, '..'))
  await writeFile(file, 'one')
  await expect.poll(changes, { timeout: 5_000 }).toBe(1)
})

it('tells nothing of the same content, and of other files', async () => {
  const base = await folder()
  const file = join(base, 'a')
  await writeFile(file, 'one')
  const { changes, update } = await watched([file], { pollMs: 20 })
  await writeFile(join(base, 'b'), 'two')
  await writeFile(file, 'one')
  update(new Map([[join(base, 'b'), await fileFingerprint(join(base, 'b'))]]))
  await writeFile(file, 'three')
  // The watch is alive: it tells of what it has to.
  await writeFile(join(base, 'b'), 'four')
  await expect.poll(changes, { timeout: 5_000 }).toBe(1)
})

it('tells of a content that came between the reading and the watching', async () => {
  const file = join(await folder(), 'a')
  await writeFile(file, 'one')
  const { changes, update } = await watched([file], { pollMs: 20 })
  const read = new Map([[file, await fileFingerprint(file)]])
  await writeFile(file, 'two')
  update(read)
  await expect.poll(changes, { timeout: 5_000 }).toBe(1)
})

it('tells of a content that never lasts, too', async () => {
  const file = join(await folder(), 'a')
  await writeFile(file, 'one')
  const { changes } = await watched([file], { pollMs: 20 })
  const ended = new AbortController()
  const writing = (async () => {
    for (let count = 0; !ended.signal.aborted; count++) {
      await writeFile(file, `content ${count}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  await expect.poll(changes, { timeout: 10_000 }).toBeGreaterThan(0)
  ended.abort()
  await writing
})
