import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import type { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { BlockSource } from '../../../src/unixfs/block-source.ts'
import { createLinkStack } from '../../../src/local/read/link-stack.ts'
import { walkDag, walkInOrder } from '../../../src/local/read/walk-dag.ts'
import { all, cidOf, codes, identityOf, importAll, memoryBlocks, never, noise, putBytes, putFile } from './dags.ts'

async function walk(source: BlockSource, cid: CID, recursive = true): Promise<string[]> {
  return (await all(walkDag(source, cid, { recursive }, never))).map((block) => block.cid.toString())
}

test('a walk comes to every block of a file once', async () => {
  const store = memoryBlocks()
  const cid = await importAll(store, [{ content: noise(20_000) }], {
    chunker: fixedSize({ chunkSize: 100 }),
    layout: balanced({ maxChildrenPerNode: 5 }),
  })
  const walked = await walk(store, cid)
  expect(walked.length).toBe(store.blocks.size)
  expect(new Set(walked).size).toBe(store.blocks.size)
})

test('a walk goes through dag-cbor, dag-json and dag-pb, and through identity CIDs, which are no blocks', async () => {
  const store = memoryBlocks()
  const leaf = await putBytes(store, Buffer.from('leaf'))
  const inline = identityOf(dagCbor.encode([leaf]), codes.cbor)
  const json = await putBytes(store, dagJson.encode({ deep: [{ inline }], bytes: Buffer.from('x') }), codes.json)
  const file = await putFile(store, { links: [[leaf, 4n]] })
  const root = await putBytes(store, dagCbor.encode({ json, file, again: [file, file] }), codes.cbor)
  expect((await walk(store, root)).toSorted()).toEqual([root, json, file, leaf].map(String).toSorted())
  expect(await walk(store, root, false)).toEqual([root.toString()])
})

test('a block without links is not read where its length is known, and others are', async () => {
  const store = memoryBlocks()
  const leaf = await putBytes(store, Buffer.from('leaf'))
  const root = await putBytes(store, dagCbor.encode([leaf]), codes.cbor)
  const read: string[] = []
  const source: BlockSource = {
    ...store,
    knownSize: () => 4,
    get: (cid, signal) => {
      read.push(String(cid))
      return store.get(cid, signal)
    },
  }
  const walked = await all(walkDag(source, root, { recursive: true }, never))
  expect(walked.map(({ cid, size }) => [String(cid), size])).toEqual([
    [String(root), 42],
    [String(leaf), 4],
  ])
  expect(read).toEqual([String(root)])
})

test('the same bytes under another codec have their own links', async () => {
  const store = memoryBlocks()
  const leaf = await putBytes(store, Buffer.from('leaf'))
  const bytes = dagCbor.encode([leaf])
  const [asRaw, asCbor] = [await putBytes(store, bytes), await putBytes(store, bytes, codes.cbor)]
  const root = await putBytes(store, dagCbor.encode([asRaw, asCbor]), codes.cbor)
  expect((await walk(store, root)).length).toBe(4)
})

test('identity CIDs of more than 128 bytes, which could hold each other thousands of times, are refused as by Kubo', async () => {
  const store = memoryBlocks()
  expect((await walk(store, identityOf(noise(128)))).length).toBe(1)
  const long = identityOf(noise(129))
  await expect(walk(store, long)).rejects.toMatchObject({ code: 'bad_content', message: /at most 128 bytes/ })
  const root = await putBytes(store, dagCbor.encode([long]), codes.cbor)
  await expect(walk(store, root)).rejects.toMatchObject({ code: 'bad_content' })
})

test('a DAG of 2^40 paths is walked by its 41 blocks', async () => {
  const store = memoryBlocks()
  let cid = await putBytes(store, Buffer.from('leaf'))
  for (let level = 0; level < 40; level++) cid = await putFile(store, { links: [[cid, 1n], [cid, 1n]] }) // prettier-ignore
  expect((await walk(store, cid)).length).toBe(41)
  expect(store.gets.length).toBe(41)
})

test('a codec whose links are unknown, a missing block, and a link that is no CID end the walk', async () => {
  const store = memoryBlocks()
  const git = await putBytes(store, Buffer.from('x'), 0x78)
  const root = await putBytes(store, dagCbor.encode([git]), codes.cbor)
  await expect(walk(store, root)).rejects.toMatchObject({ code: 'unsupported', message: /0x78/ })
  const gone = await putBytes(store, dagCbor.encode([cidOf(Buffer.from('gone'))]), codes.cbor)
  await expect(walk(store, gone)).rejects.toMatchObject({ code: 'not_found' })
  const broken = await putBytes(store, Uint8Array.of(0x12, 4, 0x0a, 2, 9, 9), codes.pb)
  await expect(walk(store, broken)).rejects.toMatchObject({ code: 'bad_content', message: /no CID/ })
})

test('at most so many blocks are read at a time, however slowly they are taken', async () => {
  const store = memoryBlocks()
  const links = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => [await putBytes(store, noise(9, at + 1)), 9n] as const),
  )
  const root = await putFile(store, { links })
  let [inFlight, peak] = [0, 0]
  const source: BlockSource = {
    has: store.has,
    async get(cid, signal) {
      peak = Math.max(peak, ++inFlight)
      await new Promise((resolve) => setImmediate(resolve))
      inFlight--
      return await store.get(cid, signal)
    },
  }
  let taken = 0
  for await (const block of walkDag(source, root, { recursive: true, concurrency: 4 }, never)) {
    expect(block.size).toBeGreaterThan(0)
    taken++
    await new Promise((resolve) => setImmediate(resolve))
    expect(store.gets.length - taken).toBeLessThanOrEqual(4)
  }
  expect([taken, peak]).toEqual([201, 4])
})

test('a walk that is aborted or left reads no further', async () => {
  const store = memoryBlocks()
  const links = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => [await putBytes(store, noise(9, at + 1)), 9n] as const),
  )
  const root = await putFile(store, { links })
  const controller = new AbortController()
  const walking = (async () => {
    for await (const block of walkDag(store, root, { recursive: true }, controller.signal)) {
      if (!block.cid.equals(root)) controller.abort()
    }
  })()
  await expect(walking).rejects.toMatchObject({ code: 'aborted' })
  for await (const block of walkDag(store, root, { recursive: true }, never)) if (!block.cid.equals(root)) break
  await new Promise((resolve) => setImmediate(resolve))
  expect(store.gets.length).toBeLessThan(40)
})

test('links are held up to 64 MiB at once, and let go when they were walked', () => {
  const stack = createLinkStack()
  const cid = identityOf(noise(100_000))
  const links = Array.from({ length: 80 }, () => cid.bytes)
  for (let round = 0; round < 12; round++) {
    stack.push(cid, links)
    expect(stack.peek(3).length).toBe(3)
    for (let at = 1; at < links.length; at++) stack.pop()
    expect(stack.peek(3).length).toBe(1)
    expect(stack.pop()?.equals(cid)).toBe(true)
  }
  expect(stack.isEmpty).toBe(true)
  const pushing = (): void => {
    for (let round = 0; round < 12; round++) stack.push(cid, links)
  }
  expect(pushing).toThrow(expect.objectContaining({ code: 'too_large' }))
})

test.each([
  [1_000, 4],
  [1_500_000, 1],
])('an export that nobody reads holds few blocks of %i bytes ahead', async (bytes, most) => {
  const store = memoryBlocks()
  const links = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => [await putBytes(store, noise(bytes, at + 1)), BigInt(bytes)] as const),
  )
  const root = await putFile(store, { links })
  const steps = walkInOrder(store, root, never)
  for (let at = 0; at < 6; at++) await steps.next()
  const taken = store.gets.length
  // The root and five leaves were taken.
  expect(taken - 6).toBeLessThanOrEqual(most)
  await steps.return(undefined)
})
