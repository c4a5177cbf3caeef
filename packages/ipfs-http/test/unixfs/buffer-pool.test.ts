import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createBlockWriter } from '../../src/unixfs/add-blocks.ts'
import { parseChunker } from '../../src/unixfs/chunkers.ts'
import { createBufferPool } from '../../src/unixfs/buffer-pool.ts'
import { stream } from '../local/support.ts'

test('chunks whose blocks are slow to be written are not written over by those that come behind them', async () => {
  const content = createHash('shake256', { outputLength: 400_000 }).update('chunks').digest()
  const parts = Array.from({ length: 400 }, (_, at) => content.subarray(1_000 * at, 1_000 * (at + 1)))
  const taken: Buffer[] = []
  const memory = new Set<ArrayBufferLike>()
  // Each block is read when three more have been given.
  const waiting: (() => void)[] = []
  const sink = {
    put: (_cid: unknown, bytes: Uint8Array) =>
      new Promise<void>((resolve) => {
        const at = taken.push(Buffer.alloc(0)) - 1
        memory.add(bytes.buffer)
        waiting.push(() => {
          taken[at] = Buffer.from(bytes)
          resolve()
        })
        if (waiting.length > 3) waiting.shift()!()
      }),
  }
  const blocks = createBlockWriter({ version: 1, hash: 0x12, inlineLimit: -1 }, sink)
  for await (const chunk of parseChunker('size-4096')(stream(...parts), blocks.pool)) await blocks.write(chunk, 'raw')
  for (const write of waiting) write()
  await blocks.settle()
  expect(Buffer.concat(taken).equals(content)).toBe(true)
  expect(taken).toHaveLength(98)
  expect(memory.size).toBeLessThan(10)
})

test('memory of no pool is never given to somebody else', () => {
  const pool = createBufferPool()
  const buffer = pool.take(8)
  pool.release(new Uint8Array(8))
  const other = pool.take(8)
  expect(other.buffer).not.toBe(buffer.buffer)
  pool.release(buffer.subarray(0, 3))
  pool.release(buffer)
  expect(pool.take(8).buffer).toBe(buffer.buffer)
  expect(pool.take(8).buffer).not.toBe(buffer.buffer)
})
