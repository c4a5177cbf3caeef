import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { AddEntry, PinnedRoot } from '../../src/backend.ts'
import { DigestSet } from '../../src/local/digest-set.ts'
import type { LocalBackend } from '../../src/local/index.ts'
import { addAll, bytesOf, call, entriesOf, file, kuboOptions, openTemp, rootOf, textOf } from './support.ts'

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
  const { CID } = await import('multiformats/cid')
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
  await expect(Array.fromAsync(backend.add(entries, small, controller))).rejects.toMatchObject({ code: 'aborted' })
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
  expect(step.value).toEqual({ blocks: 2, bytes: 335n, whole: true })
  expect((await collect(backend)).removed).toBe(0)
  await holding.return?.()
  expect((await collect(backend)).removed).toBe(2)
})

test('adds and collections at the same time lose nothing that is pinned', async () => {
  const uploads = fc.array(
    fc.record({
      content: fc.integer({ min: 0, max: 5 }),
      size: fc.integer({ min: 1, max: 900 }),
      isPinned: fc.boolean(),
    }),
    { minLength: 4, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(uploads, fc.integer({ min: 1, max: 4 }), async (all, workers) => {
      const backend = await openTemp()
      const pinned = new Map<string, { cid: CID; text: string }>()
      const queue = [...all]
      const snapshot = async function* (): AsyncGenerator<PinnedRoot> {
        for (const { cid } of pinned.values()) yield { cid, recursive: true }
      }
      const work = async (): Promise<void> => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          // Few contents, so that uploads share blocks with each other and with garbage.
          const text = `${next.content}`.repeat(next.size)
          const entry: AddEntry = file('d/a', text)
          for await (const event of backend.add(entriesOf(entry), small, call())) {
            if (event.type === 'root' && next.isPinned) pinned.set(String(event.cid), { cid: event.cid, text })
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
    { numRuns: 15 },
  )
}, 60_000)

test('a collection can be broken off', async () => {
  const backend = await openTemp()
  await addAll(backend, [file('a', 'a')])
  const signal = AbortSignal.abort()
  await expect(backend.collect(pins(), { signal })).rejects.toMatchObject({ code: 'aborted' })
  expect(await blocksOf(backend.dir)).toHaveLength(1)
})

test('a set of digests knows what was added, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 300 }), (numbers) => {
      const set = new DigestSet()
      const multihash = (value: bigint): Uint8Array => {
        const bytes = new Uint8Array(34)
        new DataView(bytes.buffer).setBigUint64(26, value)
        return bytes
      }
      // A high half of 0 counts as 1.
      const added = numbers.filter((value) => value >> 32n > 1n)
      const half = added.splice(0, Math.floor(added.length / 2))
      for (const value of half) expect(set.add(multihash(value))).toBe(true)
      for (const value of half) expect([set.add(multihash(value)), set.has(multihash(value))]).toEqual([false, true])
      for (const value of added) expect(set.has(multihash(value))).toBe(false)
      expect(set.size).toBe(half.length)
    }),
  )
})
