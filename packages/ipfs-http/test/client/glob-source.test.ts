import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { IpfsContent, IpfsUpload } from '../../src/index.ts'
import { fileSource, globSource } from '../../src/node/index.ts'
import { allOf } from './test-host.ts'

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'glob-source-'))
  await mkdir(join(dir, 'a/empty'), { recursive: true })
  await mkdir(join(dir, '.git'))
  await writeFile(join(dir, 'a/x.txt'), 'x')
  await writeFile(join(dir, 'a/y.md'), 'y')
  await writeFile(join(dir, '.git/config'), 'secret')
  await writeFile(join(dir, '.env'), 'secret')
  await symlink('..', join(dir, 'a/up'))
  await chmod(join(dir, 'a/x.txt'), 0o640)
  await utimes(join(dir, 'a/x.txt'), 1_000, 1_000.5)
})
afterAll(() => rm(dir, { recursive: true }))

async function textOf(content: IpfsContent | undefined): Promise<string | undefined> {
  return content === undefined ? undefined : Buffer.concat(await allOf(content as AsyncIterable<Buffer>)).toString()
}

async function listed(source: AsyncIterable<IpfsUpload>): Promise<unknown[]> {
  return allOf(source, async ({ path, content, target }) => [path, target ?? (await textOf(content))])
}

it('tells files, directories and symlinks, which it does not follow, and nothing hidden', async () => {
  const visible = [
    ['a', undefined],
    ['a/empty', undefined],
    ['a/up', '..'],
    ['a/x.txt', 'x'],
    ['a/y.md', 'y'],
  ]
  expect(await listed(globSource(dir))).toEqual(visible)
  const hidden = await listed(globSource(dir, '**/*', { hidden: true }))
  expect(hidden).toEqual([['.env', 'secret'], ['.git', undefined], ['.git/config', 'secret'], ...visible])
})

it('counts entries, files and bytes before any file is opened, as often as it is asked', async () => {
  const source = globSource(dir)
  expect(await source.totals()).toEqual({ files: 2, entries: 5, bytes: 2 })
  expect(await globSource(dir, '**/*.txt').totals()).toEqual({ files: 1, entries: 1, bytes: 1 })
  expect(await globSource(dir, '**/*', { hidden: true }).totals()).toEqual({ files: 4, entries: 8, bytes: 14 })
  await chmod(join(dir, 'a/y.md'), 0)
  expect(await source.totals()).toEqual({ files: 2, entries: 5, bytes: 2 })
  await chmod(join(dir, 'a/y.md'), 0o644)
  expect((await allOf(source, ({ size }) => size)).filter((size) => size !== undefined)).toEqual([1, 1])
  await expect(source.totals({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
  await expect(globSource(join(dir, 'none')).totals()).rejects.toMatchObject({ code: 'bad_argument' })
})

it('leaves out directories in which nothing is listed, and follows symlinks, if it is told to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'glob-links-'))
  await mkdir(join(folder, 'a/empty'), { recursive: true })
  await mkdir(join(folder, 'hides'))
  await writeFile(join(folder, 'hides/.x'), 'x')
  await writeFile(join(folder, 'x'), 'x')
  await symlink('../x', join(folder, 'a/file'))
  await symlink('a', join(folder, 'b'))
  const paths = async (options: Parameters<typeof globSource>[2]): Promise<unknown[]> =>
    (await listed(globSource(folder, '**/*', options))).map((entry) => (entry as unknown[])[0])
  expect(await paths({ emptyDirs: false })).toEqual(['a', 'a/file', 'b', 'x'])
  expect(await paths({ emptyDirs: false, hidden: true })).toContain('hides')
  const followed = await listed(globSource(folder, '**/*', { dereferenceSymlinks: true, emptyDirs: false }))
  expect(followed).toEqual([
    ['a', undefined],
    ['a/file', 'x'],
    ['b', undefined],
    ['b/file', 'x'],
    ['x', 'x'],
  ])
  await symlink('..', join(folder, 'a/up'))
  await expect(paths({ dereferenceSymlinks: true })).rejects.toMatchObject({ code: 'bad_argument' })
  await rm(join(folder, 'a/up'))
  await symlink('nowhere', join(folder, 'a/broken'))
  await expect(paths({ dereferenceSymlinks: true })).rejects.toMatchObject({ code: 'storage' })
  await rm(folder, { recursive: true })
})

it('takes what matches a pattern', async () => {
  expect(await listed(globSource(dir, '**/*.txt'))).toEqual([['a/x.txt', 'x']])
  expect(await listed(globSource(dir, '*'))).toEqual([['a', undefined]])
})

it('tells modes and times where it is asked to', async () => {
  const sources = await allOf(globSource(dir, '**/*.txt', { preserveMode: true, preserveMtime: true }))
  expect(sources).toMatchObject([{ mode: 0o640, mtime: { secs: 1_000n, nsecs: 500_000_000 } }])
  const file = await fileSource(join(dir, 'a/x.txt'), { preserveMode: true })
  expect(file).toMatchObject({ path: 'x.txt', mode: 0o640, mtime: undefined })
  expect(await textOf(file.content)).toBe('x')
})

it('tells times to the nanosecond, and those before 1970', async () => {
  const path = join(dir, 'a/x.txt')
  const old = join(dir, 'a/y.md')
  const { mtimeNs } = await lstat(join(dir, 'a'), { bigint: true })
  await utimes(old, 0, new Date(-1_500))
  const [folder] = await allOf(globSource(dir, 'a', { preserveMtime: true }))
  expect(folder!.mtime!.secs * 1_000_000_000n + BigInt(folder!.mtime!.nsecs!)).toBe(mtimeNs)
  expect((await fileSource(old, { preserveMtime: true })).mtime).toEqual({ secs: -2n, nsecs: 500_000_000 })
  expect((await fileSource(path, { preserveMtime: true })).mtime).toEqual({ secs: 1_000n, nsecs: 500_000_000 })
})

it.runIf(process.platform === 'linux')('says of a name that is not UTF-8 that it needs another', async () => {
  const path = join(dir, 'latin')
  await mkdir(path)
  await writeFile(Buffer.concat([Buffer.from(`${path}/caf`), Buffer.from([0xe9])]), 'x')
  await expect(listed(globSource(path))).rejects.toThrow(/latin\/caf\uFFFD cannot be read: rename it, in UTF-8/)
  await rm(path, { recursive: true })
})

it('refuses a folder that is none, and a file that is none', async () => {
  await expect(listed(globSource(join(dir, 'a/x.txt')))).rejects.toMatchObject({ code: 'bad_argument' })
  await expect(fileSource(join(dir, 'a'))).rejects.toMatchObject({ code: 'bad_argument' })
})

it('passes over pipes, sockets and links that lead in a circle, and takes a folder by a link to it', async () => {
  const odd = await mkdtemp(join(tmpdir(), 'glob-source-'))
  const server = createServer()
  try {
    await promisify(execFile)('mkfifo', [join(odd, 'pipe')])
    await new Promise<void>((resolve) => server.listen(join(odd, 'socket'), resolve))
    await symlink('loop', join(odd, 'loop'))
    await symlink('.', join(odd, 'self'))
    await symlink(odd, `${odd}.link`)
    const links = [
      ['loop', 'loop'],
      ['self', '.'],
    ]
    expect(await listed(globSource(odd))).toEqual(links)
    expect(await listed(globSource(`${odd}.link`))).toEqual(links)
  } finally {
    server.close()
    await rm(odd, { recursive: true })
    await rm(`${odd}.link`, { force: true })
  }
})

it('tells which file cannot be read any more, and does not wait for a pipe in its place', async () => {
  const odd = await mkdtemp(join(tmpdir(), 'glob-source-'))
  try {
    const path = join(odd, 'a')
    await writeFile(path, 'a')
    const { content } = await fileSource(path)
    await rm(path)
    await expect(textOf(content)).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining(path) })
    await writeFile(path, 'a')
    const later = await fileSource(path)
    await rm(path)
    await promisify(execFile)('mkfifo', [path])
    await expect(textOf(later.content)).rejects.toMatchObject({ code: 'storage', message: /no file any more/ })
  } finally {
    await rm(odd, { recursive: true })
  }
})

it('reads what a file has become since it was listed, shorter or longer', async () => {
  const odd = await mkdtemp(join(tmpdir(), 'glob-source-'))
  try {
    for (const [was, is] of [
      ['short', 'x'.repeat(200_000)],
      ['x'.repeat(200_000), 'short'],
    ] as const) {
      await writeFile(join(odd, 'a'), was)
      const { content } = await fileSource(join(odd, 'a'))
      await writeFile(join(odd, 'a'), is)
      expect(await textOf(content)).toBe(is)
    }
  } finally {
    await rm(odd, { recursive: true })
  }
})
