import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDirectFiles, createSeenKeys } from '../../src/local/direct-files.ts'
import { addAll, bytesOf, file, openTemp, rootOf } from './support.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wayleave-direct-'))
})
afterEach(() => {
  vi.unstubAllGlobals()
  return rm(dir, { recursive: true, force: true })
})

/** Older file systems in memory take no direct files. */
const takesDirect = await probe()
async function probe(): Promise<boolean> {
  const path = join(tmpdir(), `wayleave-direct-probe-${process.pid}`)
  const isTaken = await createDirectFiles().write(path, new Uint8Array(64 * 1024))
  await rm(path, { force: true })
  return isTaken
}
const mib = 1024 * 1024

describe.runIf(takesDirect)('a direct file', () => {
  test.each([64 * 1024, 64 * 1024 + 1, 262_144, 262_158, mib, mib + 14, 2 * mib, 2 * mib + 64 * 1024])(
    'of %i bytes comes back as it was, by itself and through the cache',
    async (length) => {
      const files = createDirectFiles()
      const bytes = randomBytes(length)
      const path = join(dir, 'file')
      expect(await files.write(path, bytes)).toBe(true)
      expect(bytes.equals(await readFile(path))).toBe(true)
      expect(bytes.equals((await files.read(path))!)).toBe(true)
    },
  )

  test('holds nothing of the one before it', async () => {
    const files = createDirectFiles()
    await Promise.all([0, 1, 2, 3].map((at) => files.write(join(dir, `full-${at}`), Buffer.alloc(2 * mib, 0xff))))
    const path = join(dir, 'next')
    await files.write(path, Buffer.alloc(70_000))
    expect(await readFile(path)).toEqual(Buffer.alloc(70_000))
  })

  test('is one of many at once, and each is whole', async () => {
    const files = createDirectFiles()
    const contents = Array.from({ length: 40 }, (_, at) => Buffer.alloc(100_000 + at, at))
    await Promise.all(contents.map((bytes, at) => files.write(join(dir, String(at)), bytes)))
    const read = await Promise.all(contents.map((_, at) => files.read(join(dir, String(at)))))
    for (const [at, bytes] of contents.entries()) expect(bytes.equals(read[at]!)).toBe(true)
  })

  test('is read where it is empty, small, or too large for a block', async () => {
    const files = createDirectFiles()
    const path = join(dir, 'file')
    await writeFile(path, '')
    expect(await files.read(path)).toHaveLength(0)
    await writeFile(path, 'small')
    expect(Buffer.from((await files.read(path))!).toString()).toBe('small')
    await writeFile(path, Buffer.alloc(3 * mib))
    expect(await files.read(path)).toBeUndefined()
  })

  test('that is not there, or is there already, is an error, and the next one is served', async () => {
    const files = createDirectFiles()
    const path = join(dir, 'file')
    for (let round = 0; round < 8; round++) await expect(files.read(path)).rejects.toMatchObject({ code: 'ENOENT' })
    await writeFile(path, 'mine')
    await expect(files.write(path, Buffer.alloc(mib))).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await readFile(path, 'utf8')).toBe('mine')
    expect(await files.write(join(dir, 'other'), Buffer.alloc(mib))).toBe(true)
  })
})

describe.runIf(constants.O_DIRECT !== undefined)('where the file system refuses direct files', () => {
  const bytes = Buffer.alloc(mib)

  test.each(['EINVAL', 'EOPNOTSUPP'])('when they are opened (%s), none is tried again', async (code) => {
    let opened = 0
    const files = createDirectFiles(async (path, flags) => {
      opened++
      // Some file systems have made the file by then.
      if (Number(flags) & constants.O_CREAT) await writeFile(path, '')
      throw Object.assign(new Error('refused'), { code })
    })
    expect(await files.write(join(dir, 'file'), bytes)).toBe(false)
    expect(await readdir(dir)).toEqual([])
    expect(await files.write(join(dir, 'file'), bytes)).toBe(false)
    expect(await files.read(join(dir, 'file'))).toBeUndefined()
    expect(opened).toBe(1)
  })

  test('when they are written, nothing is left', async () => {
    const files = createDirectFiles(async (path, flags) => {
      const handle = await open(path, flags)
      handle.write = () => Promise.reject(Object.assign(new Error('refused'), { code: 'EINVAL' }))
      return handle
    })
    expect(await files.write(join(dir, 'file'), bytes)).toBe(false)
    expect(await readdir(dir)).toEqual([])
  })

  test('a full disk is no refusal', async () => {
    const files = createDirectFiles(async (path, flags) => {
      const handle = await open(path, flags)
      handle.write = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
      return handle
    })
    await expect(files.write(join(dir, 'file'), bytes)).rejects.toMatchObject({ code: 'ENOSPC' })
    await expect(files.write(join(dir, 'file 2'), bytes)).rejects.toMatchObject({ code: 'ENOSPC' })
  })
})

test.each([
  ['no WebAssembly', undefined],
  [
    'no memory for it',
    {
      Memory: function () {
        throw new RangeError('could not allocate memory')
      },
    },
  ],
])('where there is %s, all is left to the usual way', async (_, given) => {
  await writeFile(join(dir, 'file'), 'content')
  vi.stubGlobal('WebAssembly', given)
  const files = createDirectFiles()
  for (let round = 0; round < 8; round++) {
    expect(await files.read(join(dir, 'file'))).toBeUndefined()
    expect(await files.write(join(dir, 'new'), Buffer.alloc(mib))).toBe(false)
  }
  expect(await readdir(dir)).toEqual(['file'])
})

test('small and very large content is left to the usual way', async () => {
  const files = createDirectFiles()
  expect(await files.write(join(dir, 'small'), Buffer.alloc(1000))).toBe(false)
  expect(await files.write(join(dir, 'large'), Buffer.alloc(3 * mib))).toBe(false)
  expect(await readdir(dir)).toEqual([])
})

test('keys are seen again while they are among the last', () => {
  const seen = createSeenKeys(2)
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map((key) => seen.see(key))).toEqual([false, false, true, false, true, false])
})

describe.each([true, false])('a store whose direct is %s', (direct) => {
  test('keeps and serves blocks of every size, first and again', async () => {
    const backend = await openTemp({ direct })
    const bytes = randomBytes(3 * mib + 5)
    const root = rootOf(await addAll(backend, [file('a', bytes)], { chunker: 'size-1048576', cidVersion: 1 }))
    for (let read = 0; read < 3; read++) expect(bytes.equals(await bytesOf(backend, root))).toBe(true)
  })
})
