import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

it('refuses a folder that is none, and a file that is none', async () => {
  await expect(listed(globSource(join(dir, 'a/x.txt')))).rejects.toMatchObject({ code: 'bad_argument' })
  await expect(fileSource(join(dir, 'a'))).rejects.toMatchObject({ code: 'bad_argument' })
})
