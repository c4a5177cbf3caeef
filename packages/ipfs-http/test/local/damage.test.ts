import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as dagCbor from '@ipld/dag-cbor'
import { expect, test } from 'vitest'
import type { PinnedRoot } from '../../src/backend.ts'
import { blockPath, openBlockStore } from '../../src/local/block-store.ts'
import { all, carOf, cidOf, codes } from './read/dags.ts'
import { addAll, bytesOf, call, file, openTemp, rootOf, tempFolder, stream, textOf } from './support.ts'

const content = 'the content of a block '.repeat(20)

const damages: readonly (readonly [string, (path: string) => Promise<unknown>, string])[] = [
  ['has another bit', async (path) => {
    const bytes = await readFile(path)
    bytes[bytes.length >> 1]! ^= 4
    await writeFile(path, bytes)
  }, 'bad_content'],
  ['lost its end', (path) => truncate(path, 100), 'bad_content'],
  ['is empty', (path) => truncate(path, 0), 'bad_content'],
  ['is gone', (path) => rm(path, { force: true }), 'not_found'],
  ['is a folder', async (path) => {
    await rm(path)
    await mkdir(path)
  }, 'storage'],
  ['is a folder with something in it', async (path) => {
    await rm(path)
    await mkdir(join(path, 'x'), { recursive: true })
  }, 'storage'],
  ['is a link to itself', async (path) => {
    await rm(path, { force: true })
    await symlink(path, path)
  }, 'bad_content'],
  ['is larger than any block', (path) => truncate(path, 2 ** 32), 'bad_content'],
  ['is a link to nothing', async (path) => {
    await rm(path, { force: true })
    await symlink(`${path}.nowhere`, path)
  }, 'not_found'],
] // prettier-ignore

async function pathOf(dir: string, cid: ReturnType<typeof rootOf>): Promise<string> {
  const { NextToLast } = await import('blockstore-fs/sharding')
  const place = new NextToLast().encode(cid)
  return join(dir, 'blocks', place.dir, place.file)
}

const raw = { cidVersion: 1, rawLeaves: true } as const

test.each(damages)(
  'a block whose file %s is never served, and neither it nor its neighbours stay for ever',
  async (_, damage, code) => {
    const backend = await openTemp()
    const cid = rootOf(await addAll(backend, [file('a', content)], raw))
    const other = rootOf(await addAll(backend, [file('b', 'other')], raw))
    for (let i = 0; i < 20; i++) await addAll(backend, [file('c', `garbage ${i}`)], raw)
    const path = await pathOf(backend.dir, cid)
    await damage(path)
    await expect(bytesOf(backend, cid)).rejects.toMatchObject({ code })
    const pins = async function* (): AsyncGenerator<PinnedRoot> {
      yield { cid: other, recursive: true }
    }
    if (code === 'storage') {
      await expect(bytesOf(backend, cid)).rejects.toThrow('there is a folder where a file should be: remove it')
      // What is no file is none of ours.
      await backend.collect(pins, call())
      await rm(path, { recursive: true })
    } else {
      await addAll(backend, [file('a', content)], raw)
      expect(await textOf(backend, cid)).toBe(content)
      await damage(path)
    }
    await backend.collect(pins, call())
    const left = (await readdir(join(backend.dir, 'blocks'), { recursive: true })).filter((name) => name.includes('.'))
    expect(left.map((name) => basename(name))).toEqual([basename(await pathOf(backend.dir, other))])
    expect(await textOf(backend, other)).toBe('other')
  },
)

test('a block that was broken, and whose file was restored, is here again', async () => {
  const dir = await tempFolder()
  const store = await openBlockStore(dir)
  const bytes = Buffer.from(content)
  const cid = cidOf(bytes)
  const { signal } = call()
  await store.put(cid, bytes)
  const { folder, file: name } = blockPath(cid)
  const path = join(dir, folder, name)
  await writeFile(path, 'broken')
  await expect(store.get(cid, signal)).rejects.toMatchObject({ code: 'bad_content' })
  expect(await store.has(cid)).toBe(false)
  await writeFile(path, bytes)
  expect(Buffer.compare(await store.get(cid, signal), bytes)).toBe(0)
  expect(await store.has(cid)).toBe(true)
  await store.close()
})

test('a block whose file goes while it is read is served or not found', async () => {
  const backend = await openTemp()
  for (let i = 0; i < 20; i++) {
    const text = `${i} ${content}`
    const cid = rootOf(await addAll(backend, [file('a', text)], raw))
    const path = await pathOf(backend.dir, cid)
    const [read] = await Promise.allSettled([textOf(backend, cid), rm(path)])
    if (read.status === 'fulfilled') expect(read.value).toBe(text)
    else expect(read.reason).toMatchObject({ code: 'not_found' })
  }
})

test('a store whose folder goes says so, and closes', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('a', content)], raw))
  await rm(backend.dir, { recursive: true })
  await expect(bytesOf(backend, cid)).rejects.toMatchObject({ code: 'not_found' })
  await expect(addAll(backend, [file('a', content)], raw)).rejects.toMatchObject({ code: 'storage' })
  await expect(backend.collect(async function* () {}, call())).rejects.toMatchObject({ code: 'storage' })
  await backend.close()
})

test('a request pins what it has just written without a read of the disk, and what was there only after one', async () => {
  const backend = await openTemp()
  const leaf = dagCbor.encode('leaf')
  const above = dagCbor.encode([cidOf(leaf, codes.cbor)])
  const root = cidOf(above, codes.cbor)
  const car = carOf([root], [[root, above], [cidOf(leaf, codes.cbor), leaf]]) // prettier-ignore
  /** Imports, damages the root, and pins it. */
  const importAndHold = async (): Promise<unknown[]> => {
    const staged = backend.stage({ lane: 'a', maxBlocks: 10, onBytes() {} })
    await all(backend.importCar(stream(car), { ...call(), staged }))
    const path = await pathOf(backend.dir, root)
    const bytes = await readFile(path)
    bytes[1] = 0xff
    await writeFile(path, bytes)
    const steps = await all(backend.hold(root, { recursive: true }, { ...call(), staged })).finally(() => staged.keep())
    return steps.map(({ blocks, whole }) => [blocks, whole])
  }
  expect(await importAndHold()).toEqual([[2, true]])
  await expect(importAndHold()).rejects.toMatchObject({ code: 'bad_content' })
})
