import type { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { metBlocks, walkBlocks } from '../../src/server/walk.ts'
import { codes, memoryBlocks, never, noise, putBytes } from '../local/read/dags.ts'

/** Blocks without links of that many bytes, and a source that counts what was asked for and not yet yielded. */
async function rootsOf(count: number, bytes: number) {
  const blocks = memoryBlocks()
  const roots: CID[] = []
  for (let i = 0; i < count; i++) roots.push(await putBytes(blocks, noise(bytes, i + 1), codes.raw))
  const state = { asked: 0, most: 0 }
  const source = {
    async get(cid: CID, signal: AbortSignal): Promise<Uint8Array> {
      state.most = Math.max(state.most, ++state.asked)
      await new Promise((resolve) => setImmediate(resolve))
      return blocks.get(cid, signal)
    },
  }
  const walked: string[] = []
  for await (const { cid } of walkBlocks(source, roots, metBlocks(), { reads: 'all', signal: never })) {
    walked.push(String(cid))
    state.asked--
  }
  return { walked, roots: roots.map(String), most: state.most }
}

test('a walk of many short roots reads dozens of them at once, and yields them in their order', async () => {
  const { walked, roots, most } = await rootsOf(200, 100)
  expect(walked).toEqual(roots)
  expect(most).toBeGreaterThan(32)
  expect(most).toBeLessThanOrEqual(65)
})

test('a walk of long blocks reads few ahead, from the first one on', async () => {
  const { walked, roots, most } = await rootsOf(20, 2 ** 21)
  expect(walked).toEqual(roots)
  expect(most).toBeLessThanOrEqual(5)
})
