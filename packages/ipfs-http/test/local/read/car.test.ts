import { createHash } from 'node:crypto'
import * as dagCbor from '@ipld/dag-cbor'
import fc from 'fast-check'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, test } from 'vitest'
import { exportCar } from '../../../src/local/read/export-car.ts'
import { type CarEvent, importCar } from '../../../src/local/read/import-car.ts'
import { loadBlock } from '../../../src/unixfs/load-block.ts'
import {
  all,
  carOf,
  cidOf,
  codes,
  collect,
  identityOf,
  importAll,
  memoryBlocks,
  type MemoryBlocks,
  never,
  noise,
  putBytes,
  putFile,
  section,
  varint,
} from './dags.ts'

async function* inPieces(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function importInto(store: MemoryBlocks, car: Uint8Array, size = 4096): Promise<readonly CarEvent[]> {
  return await all(importCar(inPieces(car, size), store, never))
}

/** As the specification of CARv2 has it: pragma, header, padding, CARv1, index. */
function carV2(
  inner: Uint8Array,
  options: {
    readonly padding?: number
    readonly index?: number
    readonly start?: number
    readonly length?: number
  } = {},
): Buffer {
  const { padding = 0, index = 100, start = 51 + padding, length = inner.length } = options
  const header = Buffer.alloc(40)
  header.writeBigUInt64LE(BigInt(start), 16)
  header.writeBigUInt64LE(BigInt(length), 24)
  header.writeBigUInt64LE(BigInt(start + length), 32)
  const pragma = Buffer.from('0aa16776657273696f6e02', 'hex')
  return Buffer.concat([pragma, header, Buffer.alloc(padding), inner, Buffer.alloc(index, 0xff)])
}

const small = cidOf(Buffer.from('small'))

describe('an exported CAR', () => {
  test('has the blocks depth first, each once, and its root; those of identity CIDs as well, as in Kubo', async () => {
    const store = memoryBlocks()
    const [a, b] = [await putBytes(store, Buffer.from('a')), await putBytes(store, Buffer.from('b'))]
    const inner = await putBytes(store, dagCbor.encode([b, a]), codes.cbor)
    const inline = identityOf(dagCbor.encode([b]), codes.cbor)
    const root = await putBytes(store, dagCbor.encode([a, inner, inline, b]), codes.cbor)
    const blocks = await Promise.all(
      [root, a, inner, b, inline].map(async (cid) => [cid, await loadBlock(store, cid, never)] as const),
    )
    expect(await collect(await exportCar(store, root, never))).toEqual(carOf([root], blocks))
  })

  test('is imported again as it was, with a DAG that contains the same blocks many times', async () => {
    const store = memoryBlocks()
    const content = Buffer.concat([noise(5000), noise(5000), noise(9000, 7)])
    const cid = await importAll(
      store,
      [
        { path: 'd/f', content },
        { path: 'd/e/g', content: noise(300) },
      ],
      {
        chunker: fixedSize({ chunkSize: 1000 }),
      },
    )
    const car = await collect(await exportCar(store, cid, never))
    const copy = memoryBlocks()
    const events = await importInto(copy, car)
    expect(copy.blocks).toEqual(store.blocks)
    const bytes = [...store.blocks.values()].reduce((sum, { length }) => sum + BigInt(length), 0n)
    expect(events).toEqual([
      { type: 'progress', blocks: store.blocks.size, bytes },
      { type: 'root', cid },
    ])
  })

  test('reads few blocks ahead of who takes it, and 41 blocks of 2^40 paths', async () => {
    const store = memoryBlocks()
    let cid = await putBytes(store, Buffer.from('leaf'))
    for (let level = 0; level < 40; level++) cid = await putFile(store, { links: [[cid, 1n], [cid, 1n]] }) // prettier-ignore
    await collect(await exportCar(store, cid, never))
    expect(store.gets.length).toBe(42)
    const links = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => [await putBytes(store, noise(9, at + 1)), 9n] as const),
    )
    const wide = await putFile(store, { links })
    store.gets.length = 0
    let chunks = 0
    for await (const chunk of await exportCar(store, wide, never)) {
      expect(chunk.length).toBeGreaterThan(0)
      await new Promise((resolve) => setImmediate(resolve))
      if (++chunks === 21) break
    }
    expect(store.gets.length).toBeLessThan(16)
  })

  test('keeps few blocks beside the way down to a deep one', async () => {
    const store = memoryBlocks()
    let cid = await putBytes(store, Buffer.from('deepest'))
    for (let level = 1; level <= 40; level++) {
      const beside = await Promise.all([1, 2].map((at) => putBytes(store, Buffer.from(`${level}/${at}`))))
      cid = await putBytes(store, dagCbor.encode([cid, ...beside]), codes.cbor)
    }
    let chunks = 0
    for await (const chunk of await exportCar(store, cid, never)) {
      expect(chunk.length).toBeGreaterThan(0)
      chunks++
      // The first block is read twice; each is two chunks, behind the header.
      expect(store.gets.length - 1 - (chunks - 1) / 2).toBeLessThanOrEqual(7)
    }
    expect(store.gets.length).toBe(122)
  })

  test('of a missing root fails before the first byte; of a missing leaf, where that is', async () => {
    const store = memoryBlocks()
    await expect(exportCar(store, small, never)).rejects.toMatchObject({ code: 'not_found' })
    const root = await putBytes(store, dagCbor.encode([small]), codes.cbor)
    const stream = await exportCar(store, root, never)
    await expect(collect(stream)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('an imported CAR', () => {
  test('may come in pieces of any size, as CARv2, with several roots or none', async () => {
    const blocks = [[small, Buffer.from('small')], [cidOf(noise(300)), noise(300)]] as const // prettier-ignore
    const inner = carOf([small, cidOf(noise(300))], blocks)
    for (const car of [inner, carV2(inner), carV2(inner, { padding: 13, index: 0 })]) {
      for (const size of [1, 7, 51, 4096]) {
        const store = memoryBlocks()
        const events = await importInto(store, car, size)
        expect(events.map(({ type }) => type)).toEqual(['progress', 'root', 'root'])
        expect(store.blocks.size).toBe(2)
      }
    }
    expect(await importInto(memoryBlocks(), carOf([], []))).toEqual([{ type: 'progress', blocks: 0, bytes: 0n }])
  })

  test.each([
    ['sha2-512', 0x13, 'sha512'],
    ['sha3-256', 0x16, 'sha3-256'],
    ['sha1', 0x11, 'sha1'],
    ['blake2b-512', 0xb240, 'blake2b512'],
    ['blake2s-256', 0xb260, 'blake2s256'],
  ])('may use %s', async (_, code, name) => {
    const bytes = noise(1000)
    const cid = CID.createV1(codes.raw, Digest.create(code, createHash(name).update(bytes).digest()))
    const store = memoryBlocks()
    await importInto(store, carOf([cid], [[cid, bytes]]))
    expect(await store.has(cid)).toBe(true)
    await expect(importInto(store, carOf([cid], [[cid, noise(999)]]))).rejects.toMatchObject({ code: 'bad_content' })
  })

  test('may use blake2b-256, which Filecoin does', async () => {
    // Digest of "abc": BLAKE2 reference implementation, blake2b with an output of 32 bytes.
    const digest = Buffer.from('bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319', 'hex')
    const cid = CID.createV1(codes.raw, Digest.create(0xb220, digest))
    const store = memoryBlocks()
    await importInto(store, carOf([cid], [[cid, Buffer.from('abc')]]))
    expect(await store.has(cid)).toBe(true)
  })

  test('with identity CIDs is taken, if their bytes are the same', async () => {
    const inline = identityOf(Buffer.from('inline'))
    const store = memoryBlocks()
    await importInto(store, carOf([inline], [[inline, Buffer.from('inline')]]))
    expect(store.blocks.size).toBe(0)
    for (const other of ['inlinE', 'inline and more', 'inl']) {
      const lie = carOf([inline], [[inline, Buffer.from(other)]])
      await expect(importInto(store, lie)).rejects.toMatchObject({ code: 'bad_content' })
    }
  })

  test('of which any bit is flipped, or that ends anywhere, is noticed or the same', async () => {
    const root = cidOf(dagCbor.encode([small]), codes.cbor)
    const blocks = [[root, dagCbor.encode([small])], [small, Buffer.from('small')]] as const // prettier-ignore
    const wholes = [carOf([root], blocks), carV2(carOf([root], blocks), { index: 0 })]
    const whole = memoryBlocks()
    await importInto(whole, wholes[0] as Buffer)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...wholes), fc.nat(), fc.nat(7), fc.boolean(), async (car, where, bit, cut) => {
        const at = where % car.length
        const changed = cut ? car.subarray(0, at) : Buffer.from(car)
        if (!cut) changed[at] = (changed[at] as number) ^ (1 << bit)
        const store = memoryBlocks()
        const outcome = await importInto(store, changed, 50).then(
          (events) => events,
          (thrown: { code: string }) => thrown.code,
        )
        for (const [key, bytes] of store.blocks) if (whole.blocks.has(key)) expect(bytes).toEqual(whole.blocks.get(key))
        if (typeof outcome === 'string') expect(outcome).toMatch(/^(?:bad_content|too_large|unsupported)$/)
        // What passes is whole between two blocks, or differs where nothing is said: roots, codecs, reserved bytes.
        else expect(store.blocks.size).toBe(outcome.find(({ type }) => type === 'progress')?.['blocks' as never])
      }),
      { numRuns: 400 },
    )
  })

  test.each([
    ['nothing', Buffer.alloc(0), 'bad_content'],
    ['a text', Buffer.from('<html>not found</html>'), 'bad_content'],
    ['a header of a gigabyte', Uint8Array.from(varint(2n ** 30n)), 'too_large'],
    ['a header whose length never ends', Buffer.alloc(64, 0xff), 'bad_content'],
    ['a version of 3', Buffer.concat([Uint8Array.of(10), dagCbor.encode({ version: 3 })]), 'bad_content'],
    ['a block of a gigabyte', Buffer.concat([carOf([], []), Uint8Array.from(varint(2n ** 30n))]), 'too_large'],
    ['a block of no bytes', Buffer.concat([carOf([], []), Uint8Array.of(0)]), 'bad_content'],
    ['a block shorter than its CID', Buffer.concat([carOf([], []), Uint8Array.of(3), small.bytes]), 'bad_content'],
    [
      'a digest of a gigabyte',
      Buffer.concat([carOf([], []), Uint8Array.of(8, 1, 0x55, 0x12, ...varint(2n ** 30n))]),
      'bad_content',
    ],
    ['a CID of 300 bytes', carOf([], [[identityOf(noise(300)), noise(300)]]), 'bad_content'],
    [
      'a length in a longer form than it needs',
      Buffer.concat([carOf([], []), Uint8Array.of(0xa9, 0), section(small, Buffer.from('small')).subarray(1)]),
      'bad_content',
    ],
    [
      'an unknown hash',
      carOf([], [[CID.createV1(0x55, Digest.create(0xd5, new Uint8Array(32))), noise(9)]]),
      'unsupported',
    ],
    [
      'a digest cut to 4 bytes',
      carOf([], [[CID.createV1(0x55, Digest.create(0x12, small.multihash.digest.slice(0, 4))), Buffer.from('small')]]),
      'bad_content',
    ],
    ['a CARv2 in a CARv2', carV2(carV2(carOf([], []))), 'bad_content'],
    ['a CARv2 that begins in its header', carV2(carOf([], []), { start: 20 }), 'bad_content'],
    [
      'a CARv2 that ends within a block',
      carV2(carOf([], [[small, Buffer.from('small')]]), { length: 30 }),
      'bad_content',
    ],
  ])('that is %s is refused', async (_, car, code) => {
    const store = memoryBlocks()
    await expect(importInto(store, car)).rejects.toMatchObject({ code })
    expect(store.blocks.size).toBeLessThanOrEqual(code === 'bad_content' ? 1 : 0)
  })

  test('with a block beyond 2 MiB is refused before its bytes are read', async () => {
    let taken = 0
    const cid = cidOf(Buffer.from('x'))
    const head = Buffer.concat([carOf([], []), Uint8Array.from(varint(3n * 2n ** 20n)), cid.bytes])
    async function* car(): AsyncGenerator<Uint8Array> {
      yield head
      for (; ; taken++) yield new Uint8Array(65_536)
    }
    const importing = all(importCar(car(), memoryBlocks(), never))
    await expect(importing).rejects.toMatchObject({ code: 'too_large', message: /2097152/ })
    expect(taken).toBeLessThanOrEqual(1)
    const most = noise(2 ** 21)
    const store = memoryBlocks()
    await importInto(store, carOf([], [[cidOf(most), most]]), 65_536)
    expect(store.blocks.size).toBe(1)
  })

  test.each([
    ['32 small blocks', 100, 32],
    ['8 MiB and one block', 2 ** 20, 9],
  ])('is written %s at a time', async (_what, length, most) => {
    let [writing, peak, written] = [0, 0, 0]
    const sink = {
      async put() {
        peak = Math.max(peak, ++writing)
        await new Promise((resolve) => setImmediate(resolve))
        writing--
        written++
      },
    }
    const blocks = Array.from({ length: 50 }, (_, at) => Buffer.alloc(length, at)).map(
      (bytes) => [cidOf(bytes), bytes] as const,
    )
    await all(importCar(inPieces(carOf([], blocks), 2 ** 20), sink, never))
    expect([peak, written]).toEqual([most, 50])
  })

  test('stops reading where the sink fails, and while nobody takes its events', async () => {
    let taken = 0
    async function* car(): AsyncGenerator<Uint8Array> {
      yield carOf([], [])
      for (; ; taken++) yield section(cidOf(Buffer.from(`${taken}`)), Buffer.from(`${taken}`))
    }
    const full = { put: () => Promise.reject(new Error('disk full')) }
    await expect(all(importCar(car(), full, never))).rejects.toThrow('disk full')
    expect(taken).toBeLessThan(70)
    taken = 0
    for await (const event of importCar(car(), memoryBlocks(), never)) {
      await new Promise((resolve) => setImmediate(resolve))
      expect(event).toMatchObject({ type: 'progress', blocks: 64 })
      break
    }
    expect(taken).toBeLessThan(70)
  })

  test('ends with an abort, even while its bytes do not come', async () => {
    const controller = new AbortController()
    async function* car(): AsyncGenerator<Uint8Array> {
      yield carOf([], [])
      controller.abort()
      await new Promise(() => {})
    }
    const importing = all(importCar(car(), memoryBlocks(), controller.signal))
    await expect(importing).rejects.toMatchObject({ code: 'aborted' })
  })
})
