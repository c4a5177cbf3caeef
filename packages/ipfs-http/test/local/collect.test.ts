import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { encode as encodeCbor } from '@ipld/dag-cbor'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import type { AddEntry, PinnedRoot } from '../../src/backend.ts'
import type { LocalBackend } from '../../src/local/index.ts'
import { blockPath, type BlockStore, openBlockStore } from '../../src/local/block-store.ts'
import { collectBlocks } from '../../src/local/collect.ts'
import { createHolds } from '../../src/local/holds.ts'
import { codes, memoryBlocks, putBytes } from './read/dags.ts'
import {
  addAll,
  all,
  bytesOf,
  call,
  entriesOf,
  file,
  kuboOptions,
  openTemp,
  rootOf,
  tempFolder,
  textOf,
} from './support.ts'

async function blocksOf(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'blocks'), { recursive: true })
  return names.filter((name) => name.includes('.'))
}

const pins = (...roots: readonly PinnedRoot[]): (() => AsyncGenerator<PinnedRoot>) =>
  async function* () {
    yield* roots
  }

const collect = (backend: LocalBackend, ...roots: readonly PinnedRoot[]): ReturnType<LocalBackend['collect']> =>
  backend.collect(pins(...roots), call())

const small = { ...kuboOptions, chunker: 'size-100' }

test('what a recursive pin holds stays, and everything else goes', async () => {
  const backend = await openTemp()
  const shared = 's'.repeat(250)
  const kept = rootOf(await addAll(backend, [file('d/a', 'a'.repeat(500)), file('d/shared', shared)], small))
  const gone = rootOf(await addAll(backend, [file('e/b', 'b'.repeat(500)), file('e/shared', shared)], small))
  const before = (await blocksOf(backend.dir)).length
  const { removed, bytes } = await collect(backend, { cid: kept, recursive: true })
  expect(removed).toBeGreaterThan(0)
  expect(bytes).toBeGreaterThan(300n)
  expect((await blocksOf(backend.dir)).length).toBe(before - removed)
  expect(await textOf(backend, kept, 'a')).toBe('a'.repeat(500))
  expect(await textOf(backend, kept, 'shared')).toBe(shared)
  await expect(backend.getBlock(gone, call())).rejects.toMatchObject({ code: 'not_found' })
  expect(await collect(backend, { cid: kept, recursive: true })).toEqual({ removed: 0, bytes: 0n })
})

test.each([
  ['raw bytes', 'raw', 'raw bytes'],
  ['cbor without links', 'cbor', '\x63abc'],
  ['json without links', 'json', '"abc"'],
])('a rotten block of %s stops no collection, below a pin or as one', async (_, codec, text) => {
  const backend = await openTemp()
  const leaf = await backend.putBlock(Buffer.from(text), { version: 1, codec, hash: 'sha2-256' }, call())
  const above = encodeCbor({ leaf })
  const root = await backend.putBlock(above, { version: 1, codec: 'dag-cbor', hash: 'sha2-256' }, call())
  const { folder, file: name } = blockPath(leaf)
  await writeFile(join(backend.dir, 'blocks', folder, name), 'x'.repeat(text.length))
  await addAll(backend, [file('garbage', 'garbage')])
  const pinned = [root, leaf].map((cid) => ({ cid, recursive: true }))
  expect(await collect(backend, ...pinned)).toMatchObject({ removed: 1 })
  expect(await blocksOf(backend.dir)).toHaveLength(2)
})

test('a direct pin holds its one block', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('a', 'a'.repeat(500))], small))
  await collect(backend, { cid, recursive: false })
  expect(await blocksOf(backend.dir)).toHaveLength(1)
  await backend.getBlock(cid, call())
})

test('a pin holds by the bytes of its block, and finds its links by its codec', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('d/a', 'a'.repeat(500))], { ...small, cidVersion: 1 }))
  const raw = CID.createV1(0x55, cid.multihash)
  // As raw first: it must not count as walked then.
  await collect(backend, { cid: raw, recursive: true }, { cid, recursive: true })
  expect(await textOf(backend, cid, 'a')).toBe('a'.repeat(500))
})

test('an identity CID that is pinned holds what is below it', async () => {
  const backend = await openTemp()
  const events = await addAll(backend, [file('d/a', 'a'.repeat(90))], { inline: true, inlineLimit: 80, cidVersion: 1 })
  const cid = rootOf(events)
  expect([cid.multihash.code, (await blocksOf(backend.dir)).length]).toEqual([0, 1])
  await collect(backend, { cid, recursive: true })
  expect(await textOf(backend, cid, 'a')).toBe('a'.repeat(90))
})

test('where a pinned DAG is not whole, nothing is removed, and the pin is named', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('d/a', 'a'.repeat(500))], small))
  await addAll(backend, [file('b', 'b')])
  const { cid: child } = await backend.resolve({ cid, segments: ['a'] }, call())
  const files = await blocksOf(backend.dir)
  const { NextToLast } = await import('blockstore-fs/sharding')
  await rm(join(backend.dir, 'blocks', new NextToLast().encode(child).dir, new NextToLast().encode(child).file))
  await expect(collect(backend, { cid, recursive: true })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(`below the pin ${cid}`),
  })
  expect(await blocksOf(backend.dir)).toHaveLength(files.length - 1)
})

test('an upload that is broken off leaves nothing after a collection', async () => {
  const backend = await openTemp()
  const controller = new AbortController()
  async function* content(): AsyncGenerator<Uint8Array> {
    for (let i = 0; ; i++) {
      if (i === 40) controller.abort()
      yield Buffer.from(`part ${i} `.repeat(20))
    }
  }
  const entries = entriesOf(file('a', 'a'), { type: 'file', path: 'b', content: content() })
  await expect(all(backend.add(entries, small, controller))).rejects.toMatchObject({ code: 'aborted' })
  expect((await blocksOf(backend.dir)).length).toBeGreaterThan(0)
  await collect(backend)
  expect(await blocksOf(backend.dir)).toEqual([])
})

test('what an open iteration wrote stays until it ends', async () => {
  const backend = await openTemp()
  const adding = backend.add(entriesOf(file('a', 'a'.repeat(500))), small, call())[Symbol.asyncIterator]()
  await adding.next()
  expect((await collect(backend)).removed).toBe(0)
  await adding.return?.()
  expect((await collect(backend)).removed).toBeGreaterThan(0)
})

test('what an iteration wrote that ends while a collection runs stays, since its pin may not have been seen', async () => {
  const backend = await openTemp()
  const events = backend.add(entriesOf(file('a', 'a'.repeat(500))), small, call())
  let root: CID | undefined
  const { removed } = await backend.collect(async function* (): AsyncGenerator<PinnedRoot> {
    for await (const event of events) if (event.type === 'root') root = event.cid
    yield* []
  }, call())
  expect(removed).toBe(0)
  expect(await textOf(backend, root!)).toBe('a'.repeat(500))
})

test('blocks that are here already and are added again survive the collection that would have removed them', async () => {
  const backend = await openTemp()
  const content = 'again'.repeat(100)
  await addAll(backend, [file('a', content)], small)
  const adding = backend.add(entriesOf(file('a', content)), small, call())[Symbol.asyncIterator]()
  await adding.next()
  await collect(backend)
  const { value } = await adding.next()
  expect(value?.type === 'root' && (await textOf(backend, value.cid))).toBe(content)
  await adding.return?.()
})

test('what is being held stays', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('a', 'a'.repeat(500))], small))
  const holding = backend.hold(cid, { recursive: true }, call())[Symbol.asyncIterator]()
  let step = await holding.next()
  while (step.done !== true && !step.value.whole) step = await holding.next()
  expect(step.value).toEqual({ blocks: 2, bytes: 335n, diskBytes: 8192n, whole: true })
  expect((await collect(backend)).removed).toBe(0)
  await holding.return?.()
  expect((await collect(backend)).removed).toBe(2)
})

test('adds, walks and collections at the same time lose nothing that is pinned', async () => {
  const uploads = fc.array(
    fc.record({
      content: fc.integer({ min: 0, max: 5 }),
      size: fc.integer({ min: 1, max: 900 }),
      isPinned: fc.boolean(),
      isWalked: fc.boolean(),
    }),
    { minLength: 4, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(uploads, fc.integer({ min: 1, max: 4 }), async (wanted, workers) => {
      const backend = await openTemp()
      const pinned = new Map<string, { cid: CID; text: string }>()
      const added = new Map<string, { cid: CID; text: string }>()
      const queue = [...wanted]
      const snapshot = async function* (): AsyncGenerator<PinnedRoot> {
        for (const { cid } of pinned.values()) yield { cid, recursive: true }
      }
      const work = async (): Promise<void> => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          // Few contents, so that uploads share blocks with each other and with garbage.
          const text = `${next.content}`.repeat(next.size)
          const entry: AddEntry = file('d/a', text)
          for await (const event of backend.add(entriesOf(entry), small, call())) {
            if (event.type !== 'root') continue
            added.set(String(event.cid), { cid: event.cid, text })
            if (next.isPinned) pinned.set(String(event.cid), { cid: event.cid, text })
          }
          if (!next.isWalked) continue
          // What was not pinned may be gone, as a whole or in part; what was found whole is pinned, and stays.
          for (const { cid, text: walked } of added.values()) {
            try {
              for await (const { whole } of backend.hold(cid, { recursive: true }, call())) {
                if (whole) pinned.set(String(cid), { cid, text: walked })
              }
            } catch (error) {
              expect(error).toMatchObject({ code: 'not_found' })
            }
          }
        }
      }
      const over = new AbortController()
      const collecting = (async () => {
        for (; !over.signal.aborted; await new Promise(setImmediate)) await backend.collect(snapshot, call())
      })()
      await Promise.all(Array.from({ length: workers }, work))
      over.abort()
      await collecting
      await backend.collect(snapshot, call())
      for (const { cid, text } of pinned.values()) expect((await bytesOf(backend, cid, 'a')).toString()).toBe(text)
      if (pinned.size === 0) expect(await blocksOf(backend.dir)).toEqual([])
      await backend.close()
    }),
    { numRuns: 10 },
  )
}, 60_000)

test('files that are no blocks are left alone', async () => {
  const backend = await openTemp()
  await addAll(backend, [file('a', 'a')])
  const [only = ''] = await blocksOf(backend.dir)
  const notes = join(dirname(only), 'notes.data')
  await writeFile(join(backend.dir, 'blocks', notes), 'mine')
  expect((await collect(backend)).removed).toBe(1)
  expect(await blocksOf(backend.dir)).toEqual([notes])
})

test('a collection can be broken off', async () => {
  const backend = await openTemp()
  await addAll(backend, [file('a', 'a')])
  const signal = AbortSignal.abort()
  await expect(backend.collect(pins(), { signal })).rejects.toMatchObject({ code: 'aborted' })
  expect(await blocksOf(backend.dir)).toHaveLength(1)
})

test('content of another that was made to look like a pinned block does not take its place', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('d/a', 'a'.repeat(500))], small))
  // A block of dag-pb without links, whose data ends in the digest of what shall be passed over.
  const { digest } = cid.multihash
  const bytes = Uint8Array.of(0x0a, digest.length, ...digest)
  const lookalike = CID.createV1(0x70, createDigest(0, bytes))
  await collect(backend, { cid: lookalike, recursive: true }, { cid, recursive: true })
  expect(await textOf(backend, cid, 'a')).toBe('a'.repeat(500))
})

test('a DAG that can be walked in some order, and so be pinned, stops no collection, however many links it has in another', async () => {
  const blocks = memoryBlocks()
  const leaf = await putBytes(blocks, Buffer.from('leaf'))
  const linkTo = (cid: CID): Uint8Array => Uint8Array.of(0x12, 38, 0x0a, 36, ...cid.bytes)
  const many = Buffer.concat(Array.from({ length: 50_000 }, () => linkTo(leaf)))
  // Each of 70 blocks of 2 MB links to the next, and then 50,000 times to a leaf. Who walks them in the order of the
  // block above them, some at a time, holds few links; who goes down first, all of them.
  const chain: CID[] = []
  for (let i = 0; i < 70; i++) {
    const next = chain.at(-1) ?? leaf
    chain.push(await putBytes(blocks, Buffer.concat([linkTo(next), many]), codes.pb))
  }
  const top = Buffer.concat(chain.toReversed().map(linkTo))
  const cid = await putBytes(blocks, top, codes.pb)
  const store = { ...blocks, list: async function* () {}, remove: async () => 0 } as Partial<BlockStore> as BlockStore
  const collected = collectBlocks(store, createHolds(), pins({ cid, recursive: true }), call().signal)
  expect(await collected).toEqual({ removed: 0, bytes: 0n })
}, 60_000)

test('a block that is walked in the moment of its removal is not found', async () => {
  const dir = await tempFolder()
  const store = await openBlockStore(dir)
  const bytes = Buffer.from('bytes')
  const cid = CID.createV1(0x55, createDigest(0x12, createHash('sha256').update(bytes).digest()))
  await store.put(cid, bytes)
  const { signal } = call()
  const [block] = await all(store.list(signal))
  const [removed, read] = await Promise.allSettled([store.remove(block!), store.get(cid, signal)])
  expect(removed).toMatchObject({ value: 5 })
  expect(read).toMatchObject({ reason: { code: 'not_found' } })
})
