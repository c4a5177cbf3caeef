import { encode } from '@ipld/dag-pb'
import fc from 'fast-check'
import { balanced, flat, trickle } from 'ipfs-unixfs-importer/layout'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import type { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import type { BlockSource } from '../../../src/unixfs/block-source.ts'
import { catFile } from '../../../src/local/read/cat-file.ts'
import {
  cidOf,
  codes,
  collect,
  identityOf,
  importAll,
  type MemoryBlocks,
  memoryBlocks,
  never,
  noise,
  putBytes,
  putFile,
} from './dags.ts'

const whole = { offset: 0n, length: undefined }

async function cat(source: BlockSource, cid: CID, range: Parameters<typeof catFile>[2] = whole): Promise<Buffer> {
  const { size, bytes } = await catFile(source, { cid, segments: [] }, range, never)
  const body = await collect(bytes)
  expect(BigInt(body.length)).toBe(size)
  return body
}

/** Two links to the same child, again and again: 2^levels times its bytes. */
async function doubled(store: MemoryBlocks, levels: number, leaf: Uint8Array): Promise<CID> {
  let cid = await putBytes(store, leaf)
  let size = BigInt(leaf.length)
  for (let level = 0; level < levels; level++) {
    cid = await putFile(store, { links: [[cid, size], [cid, size]] }) // prettier-ignore
    size *= 2n
  }
  return cid
}

describe('the bytes of a file', () => {
  test('any range of any layout is the same range of its content', async () => {
    const layouts = fc.constantFrom('balanced', 'trickle', 'flat')
    const range = fc.record({ offset: fc.nat(9000), length: fc.option(fc.nat(9000), { nil: undefined }) })
    const file = fc.record({
      layout: layouts,
      length: fc.nat(8000),
      chunk: fc.integer({ min: 16, max: 700 }),
      fanout: fc.integer({ min: 2, max: 6 }),
      rawLeaves: fc.boolean(),
      cidVersion: fc.constantFrom(0, 1),
      leafType: fc.constantFrom('file', 'raw'),
      single: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(file, fc.array(range, { minLength: 1, maxLength: 4 }), async (made, ranges) => {
        const store = memoryBlocks()
        const content = noise(made.length)
        const cid = await importAll(store, [{ content }], {
          cidVersion: made.cidVersion as 0 | 1,
          rawLeaves: made.rawLeaves,
          leafType: made.leafType as 'file' | 'raw',
          reduceSingleLeafToSelf: made.single,
          chunker: fixedSize({ chunkSize: made.chunk }),
          layout:
            made.layout === 'balanced'
              ? balanced({ maxChildrenPerNode: made.fanout })
              : made.layout === 'trickle'
                ? trickle({ maxChildrenPerNode: made.fanout, layerRepeat: 2 } as never)
                : flat(),
        })
        for (const { offset, length } of [{ offset: 0, length: undefined }, ...ranges]) {
          const body = await cat(store, cid, {
            offset: BigInt(offset),
            length: length === undefined ? undefined : BigInt(length),
          })
          const end = length === undefined ? content.length : offset + length
          expect(body.equals(content.subarray(Math.min(offset, content.length), end))).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('bytes inside a block that has children come before theirs, as old files were written', async () => {
    const store = memoryBlocks()
    const [first, second] = [noise(10, 2), noise(7, 3)]
    const links = [[await putBytes(store, first), 10n] as const, [identityOf(second), 7n] as const]
    const cid = await putFile(store, { data: Buffer.from('head'), links })
    const expected = Buffer.concat([Buffer.from('head'), first, second])
    expect(await cat(store, cid)).toEqual(expected)
    for (let offset = 0; offset <= 21; offset++) {
      const body = await cat(store, cid, { offset: BigInt(offset), length: 9n })
      expect(body).toEqual(expected.subarray(offset, offset + 9))
    }
  })

  test('of a CID that holds its content itself, nothing is read', async () => {
    const store = memoryBlocks()
    expect((await cat(store, identityOf(Buffer.from('hello')))).toString()).toBe('hello')
    expect(store.gets).toEqual([])
  })

  test('a range far into a file reads only the blocks on its way', async () => {
    const store = memoryBlocks()
    const content = noise(100_000)
    const cid = await importAll(store, [{ content }], {
      chunker: fixedSize({ chunkSize: 1000 }),
      layout: balanced({ maxChildrenPerNode: 10 }),
    })
    const body = await cat(store, cid, { offset: 55_500n, length: 600n })
    expect(body.equals(content.subarray(55_500, 56_100))).toBe(true)
    expect(store.gets.length).toBe(4)
  })

  test('a directory is refused in the words of Kubo', async () => {
    const store = memoryBlocks()
    const cid = await importAll(store, [{ path: 'd/a', content: noise(3) }])
    await expect(cat(store, cid)).rejects.toMatchObject({
      code: 'is_directory',
      message: 'this dag node is a directory',
    })
    const content = await catFile(store, { cid, segments: ['a'] }, whole, never)
    expect(await collect(content.bytes)).toEqual(Buffer.from(noise(3)))
  })

  test('a symlink reads as its target', async () => {
    const store = memoryBlocks()
    const cid = await putFile(store, { type: 'symlink', data: Buffer.from('../there') })
    expect((await cat(store, cid)).toString()).toBe('../there')
  })

  test('dag-cbor is no file', async () => {
    const store = memoryBlocks()
    const cid = await putBytes(store, Uint8Array.of(0xa0), codes.cbor)
    await expect(cat(store, cid)).rejects.toMatchObject({ code: 'unsupported', message: /unknown node type/ })
  })
})

describe('a reader', () => {
  const blocks = 64
  async function large(chunk: number): Promise<{ readonly store: MemoryBlocks; readonly cid: CID }> {
    const store = memoryBlocks()
    const leaf = noise(chunk)
    const child = await putBytes(store, leaf)
    return {
      store,
      cid: await putFile(store, { links: Array.from({ length: blocks }, () => [child, BigInt(chunk)] as const) }),
    }
  }

  test('that is slow has one block of a MiB read ahead of it, and one that leaves frees the rest', async () => {
    const { store, cid } = await large(2 ** 20)
    const { bytes } = await catFile(store, { cid, segments: [] }, whole, never)
    const iterator = bytes[Symbol.asyncIterator]()
    expect(store.gets.length).toBe(1)
    for (let taken = 1; taken <= 20; taken++) {
      await iterator.next()
      // As if it took long: everything that was asked for comes.
      await new Promise((resolve) => setImmediate(resolve))
      expect(store.gets.length - 1 - taken).toBeLessThanOrEqual(2)
    }
    expect(store.gets.length - 1 - 20).toBe(1)
    await iterator.return?.()
    await new Promise((resolve) => setImmediate(resolve))
    expect(store.gets.length).toBeLessThan(24)
  })

  test('that is fast has at most 2 MiB or 8 blocks in flight', async () => {
    for (const [chunk, most] of [
      [2 ** 20, 2],
      [2 ** 18, 8],
      [100, 8],
    ] as const) {
      const { store, cid } = await large(chunk)
      let inFlight = 0
      let peak = 0
      const slow: BlockSource = {
        has: store.has,
        async get(block, signal) {
          peak = Math.max(peak, ++inFlight)
          await new Promise((resolve) => setImmediate(resolve))
          inFlight--
          return await store.get(block, signal)
        },
      }
      const { bytes } = await catFile(slow, { cid, segments: [] }, whole, never)
      for await (const each of bytes) void each
      expect(peak).toBe(most)
    }
  })

  test('that was fast and becomes slow is left with one block ahead', async () => {
    const { store, cid } = await large(2 ** 16)
    let asked = 0
    const source: BlockSource = {
      has: store.has,
      async get(block, signal) {
        asked++
        await new Promise((resolve) => setImmediate(resolve))
        return await store.get(block, signal)
      },
    }
    const { bytes } = await catFile(source, { cid, segments: [] }, whole, never)
    const iterator = bytes[Symbol.asyncIterator]()
    for (let taken = 0; taken < 12; taken++) await iterator.next()
    expect(asked - 1 - 12).toBe(8)
    for (let taken = 12; taken < 40; taken++) {
      await iterator.next()
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    // 256 KiB: four blocks of this size.
    expect(asked - 1 - 40).toBe(4)
    await iterator.return?.()
  })

  test('that leaves or aborts ends the reads that are under way', async () => {
    const { store, cid } = await large(1000)
    const signals: AbortSignal[] = []
    const source: BlockSource = {
      has: store.has,
      get: (block, signal) => {
        if (block.code === codes.pb || signals.length < 2) {
          if (block.code !== codes.pb) signals.push(signal)
          return store.get(block, signal)
        }
        signals.push(signal)
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new DOMException('gone', 'AbortError')))
        })
      },
    }
    const left = (await catFile(source, { cid, segments: [] }, whole, never)).bytes[Symbol.asyncIterator]()
    await left.next()
    await left.return?.()
    expect(signals.length).toBeGreaterThan(2)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)

    const controller = new AbortController()
    const aborted = (await catFile(source, { cid, segments: [] }, whole, controller.signal)).bytes
    const next = aborted[Symbol.asyncIterator]().next()
    const asked = signals.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(signals.length).toBeGreaterThan(asked)
    controller.abort()
    await expect(next).rejects.toMatchObject({ name: 'IpfsError', code: 'aborted' })
  })

  test('that aborts gets no further block', async () => {
    const { store, cid } = await large(1000)
    const controller = new AbortController()
    const { bytes } = await catFile(store, { cid, segments: [] }, whole, controller.signal)
    let seen = 0
    const reading = (async () => {
      for await (const each of bytes) if (each.length > 0 && ++seen === 3) controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(store.gets.length).toBeLessThan(16)
  })

  test('learns in the middle that a block is missing', async () => {
    const store = memoryBlocks()
    const [here, gone] = [await putBytes(store, noise(5)), cidOf(noise(6))]
    const cid = await putFile(store, { links: [[here, 5n], [gone, 6n]] }) // prettier-ignore
    const { bytes } = await catFile(store, { cid, segments: [] }, whole, never)
    const iterator = bytes[Symbol.asyncIterator]()
    expect((await iterator.next()).value?.length).toBe(5)
    await expect(iterator.next()).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('hostile files', () => {
  test('2^40 bytes out of 41 blocks stream lazily, and can be entered anywhere', async () => {
    const store = memoryBlocks()
    const cid = await doubled(store, 40, Buffer.from('ab'))
    const { size, bytes } = await catFile(store, { cid, segments: [] }, whole, never)
    expect(size).toBe(2n ** 41n)
    let read = 0
    for await (const part of bytes) if ((read += part.length) >= 20_000) break
    expect(store.gets.length).toBeLessThan(40_000)
    store.gets.length = 0
    expect((await cat(store, cid, { offset: 2n ** 40n + 1n, length: 2n })).toString()).toBe('ba')
    expect(store.gets.length).toBeLessThan(100)
  })

  test.each([
    ['more than it holds', [9n, 5n]],
    ['less than it holds', [4n, 5n]],
    ['nothing', [0n, 5n]],
    ['nothing of the last', [5n, 0n]],
  ])('a parent that claims %s of a child ends the stream before a wrong byte', async (_, [first, second]) => {
    const store = memoryBlocks()
    const child = await putBytes(store, Buffer.from('child'))
    const cid = await putFile(store, { links: [[child, first as bigint], [child, second as bigint]] }) // prettier-ignore
    const { bytes } = await catFile(store, { cid, segments: [] }, whole, never)
    let body = ''
    const reading = (async () => {
      for await (const part of bytes) body += Buffer.from(part).toString()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'bad_content', message: /where its parent claims/ })
    expect('childchild'.startsWith(body)).toBe(true)
  })

  test('sizes beyond 2^63, and sizes that contradict each other, are refused before the first byte', async () => {
    const store = memoryBlocks()
    const child = await putBytes(store, Buffer.from('child'))
    const huge = await putFile(store, { links: [[child, 2n ** 64n - 1n], [child, 5n]] }) // prettier-ignore
    await expect(cat(store, huge)).rejects.toMatchObject({ code: 'bad_content' })
    // type: file, filesize: 7, one block size of 5
    const Data = Uint8Array.of(0x08, 2, 0x18, 7, 0x20, 5)
    const contrary = await putBytes(store, encode({ Data, Links: [{ Hash: child, Name: '', Tsize: 5 }] }), codes.pb)
    await expect(cat(store, contrary)).rejects.toMatchObject({ code: 'bad_content', message: /7 bytes, and 5/ })
    const sizeless = await putBytes(
      store,
      encode({ Data: Uint8Array.of(0x08, 2), Links: [{ Hash: child, Name: '', Tsize: 5 }] }),
      codes.pb,
    )
    await expect(cat(store, sizeless)).rejects.toMatchObject({ code: 'bad_content', message: /0 sizes for 1 links/ })
  })

  test('block sizes may be packed', async () => {
    const store = memoryBlocks()
    const child = await putBytes(store, Buffer.from('child'))
    const link = { Hash: child, Name: '', Tsize: 5 }
    const Data = Uint8Array.of(0x08, 2, 0x18, 10, 0x22, 2, 5, 5)
    const cid = await putBytes(store, encode({ Data, Links: [link, link] }), codes.pb)
    expect((await cat(store, cid)).toString()).toBe('childchild')
  })

  test('a chain of blocks, each the last of the one above, costs no depth', async () => {
    const store = memoryBlocks()
    let cid = await putBytes(store, Buffer.from('.'))
    for (let length = 1n; length <= 2000n; length++) cid = await putFile(store, { data: Buffer.from('.'), links: [[cid, length]] }) // prettier-ignore
    expect((await cat(store, cid)).length).toBe(2001)
  })

  test('more than 512 levels that stay open are refused', async () => {
    const store = memoryBlocks()
    const leaf = await putBytes(store, Buffer.from('.'))
    let cid = leaf
    for (let length = 1n; length <= 600n; length++) cid = await putFile(store, { links: [[cid, length], [leaf, 1n]] }) // prettier-ignore
    await expect(cat(store, cid)).rejects.toMatchObject({ code: 'too_large' })
  })

  test('blocks without bytes do not keep a reader busy for ever', async () => {
    const store = memoryBlocks()
    const cid = await doubled(store, 40, new Uint8Array(0))
    await expect(cat(store, cid)).rejects.toMatchObject({ code: 'bad_content', message: /hold no bytes/ })
    expect(store.gets.length).toBeLessThan(5000)
  })

  test('a million links of identity CIDs are read one by one', async () => {
    const store = memoryBlocks()
    const byte = identityOf(Buffer.from('x'))
    const links = Array.from({ length: 100_000 }, () => [byte, 1n] as const)
    const inner = await putFile(store, { links })
    const cid = await putFile(store, { links: Array.from({ length: 10 }, () => [inner, 100_000n] as const) })
    const { size, bytes } = await catFile(store, { cid, segments: [] }, { offset: 999_990n, length: 99n }, never)
    expect(size).toBe(10n)
    expect((await collect(bytes)).toString()).toBe('xxxxxxxxxx')
    expect(store.gets.length).toBe(2)
  })

  test('a directory, a shard, cbor or nonsense among the parts of a file is named', async () => {
    const store = memoryBlocks()
    const parts = [
      await putFile(store, { type: 'directory' }),
      await putBytes(store, Uint8Array.of(0xa0), codes.cbor),
      await putBytes(store, Uint8Array.of(0xff), codes.pb),
      await putBytes(store, new Uint8Array(0), codes.pb),
    ]
    for (const part of parts) {
      const cid = await putFile(store, { links: [[part, 5n]] })
      await expect(cat(store, cid)).rejects.toMatchObject({ code: 'bad_content', message: new RegExp(`${part}`) })
    }
  })
})
