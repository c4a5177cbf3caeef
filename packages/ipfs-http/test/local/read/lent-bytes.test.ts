import type { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { catFile } from '../../../src/local/read/cat-file.ts'
import type { BlockSource } from '../../../src/unixfs/block-source.ts'
import { giveBack } from '../../../src/unixfs/lent-bytes.ts'
import { memoryBlocks, never, noise, putBytes, putFile } from './dags.ts'

const KiB = 1024

/** Reads into the memory that it is given, as a store does, and tells which it was given. */
function store() {
  const blocks = memoryBlocks()
  const memory = new Set<ArrayBufferLike>()
  const source: BlockSource = {
    has: blocks.has,
    async get(cid, signal, take) {
      const bytes = await blocks.get(cid, signal)
      await new Promise((resolve) => setImmediate(resolve))
      // The root of a file is read before.
      if (take === undefined) return bytes
      const given = take(bytes.length)
      memory.add(given.buffer)
      given.set(bytes)
      return given
    },
  }
  return { blocks, memory, source }
}

/** A file of so many leaves, each different, below one node; and its content. */
async function fileOf(blocks: ReturnType<typeof memoryBlocks>, count: number, leafBytes: number, data = 0) {
  const content = noise(count * leafBytes + data)
  const own = content.subarray(0, data)
  const links: (readonly [CID, bigint])[] = []
  for (let at = data; at < content.length; at += leafBytes) {
    links.push([await putBytes(blocks, content.subarray(at, at + leafBytes)), BigInt(leafBytes)])
  }
  return { cid: await putFile(blocks, { links, ...(data > 0 && { data: own }) }), content }
}

/** Copies each part, and gives it back. */
async function readAndGiveBack(source: BlockSource, cid: CID, offset = 0n, length?: bigint): Promise<Buffer> {
  const { bytes } = await catFile(source, { cid, segments: [] }, { offset, length }, never)
  const parts: Buffer[] = []
  for await (const part of bytes) {
    parts.push(Buffer.from(part))
    giveBack(part)
  }
  return Buffer.concat(parts)
}

describe('the memory of what is read', () => {
  test('is used again once it is given back: a few buffers do for many blocks', async () => {
    const { blocks, memory, source } = store()
    const { cid, content } = await fileOf(blocks, 64, 256 * KiB)
    expect((await readAndGiveBack(source, cid)).equals(content)).toBe(true)
    // Eight that were asked for, one that is read, and some of the time in which the window grows.
    expect(memory.size).toBeLessThan(16)
    const range = await readAndGiveBack(source, cid, 300_001n, 5_000_000n)
    expect(range.equals(content.subarray(300_001, 5_300_001))).toBe(true)
  })

  test('is not used again while nobody gives it back', async () => {
    const { blocks, memory, source } = store()
    const { cid, content } = await fileOf(blocks, 40, 100 * KiB)
    const { bytes } = await catFile(source, { cid, segments: [] }, { offset: 0n, length: undefined }, never)
    const parts: Uint8Array[] = []
    for await (const part of bytes) parts.push(part)
    expect(Buffer.concat(parts).equals(content)).toBe(true)
    expect(memory.size).toBe(40)
  })

  test('stays with a block that has content and children, whose links are read later', async () => {
    const { blocks, memory, source } = store()
    const middle = await fileOf(blocks, 24, 64 * KiB, 100_000)
    const [first, last] = [noise(200_000, 2), noise(200_000, 3)]
    const links = [
      [await putBytes(blocks, first), 200_000n],
      [middle.cid, BigInt(middle.content.length)],
      [await putBytes(blocks, last), 200_000n],
    ] as const
    const cid = await putFile(blocks, { links })
    const content = Buffer.concat([first, middle.content, last])
    expect((await readAndGiveBack(source, cid)).equals(content)).toBe(true)
    expect(memory.size).toBeLessThan(20)
  })

  test('of short blocks is their own', async () => {
    const { blocks, memory, source } = store()
    const { cid, content } = await fileOf(blocks, 20, 64 * KiB - 1)
    expect((await readAndGiveBack(source, cid)).equals(content)).toBe(true)
    expect(memory.size).toBe(20)
  })
})
