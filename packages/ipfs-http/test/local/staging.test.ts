import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StagedBlocks } from '../../src/backend.ts'
import { openBlockStore, placeOf } from '../../src/local/block-store.ts'
import { createHolds } from '../../src/local/holds.ts'
import { type BlockOwner, sinkOfDag } from '../../src/local/owned.ts'
import { createStaging, type Staging } from '../../src/local/staging.ts'
import { codes, memoryBlocks, putBytes } from './read/dags.ts'
import { tempFolder } from './support.ts'

const block = Buffer.from('a block of the test')
const cid = await putBytes(memoryBlocks(), block, codes.raw)

async function start(mostBlocks?: number): Promise<{
  staging: Staging
  dir: string
  /** Bytes that count, by lane. */
  counted: Record<string, number>
  open: (lane: string, space?: number) => StagedBlocks
  within: (staged: StagedBlocks | undefined, work: (owner: BlockOwner) => unknown) => Promise<void>
  isHere: () => Promise<boolean>
}> {
  const dir = await tempFolder()
  const store = await openBlockStore(dir)
  const staging = createStaging(store, createHolds(), mostBlocks)
  const counted: Record<string, number> = {}
  const open = (lane: string, space = Number.POSITIVE_INFINITY): StagedBlocks =>
    staging.open({
      lane,
      maxBlocks: 100,
      onBytes(bytes) {
        const now = (counted[lane] ?? 0) + bytes
        if (bytes > 0 && now > space) throw new Error(`no space for ${lane}`)
        counted[lane] = now
      },
    })
  const within = async (staged: StagedBlocks | undefined, work: (owner: BlockOwner) => unknown): Promise<void> => {
    const steps = staging.own(staged, async function* (owner) {
      yield await work(owner)
    })
    for await (const _ of steps) continue
  }
  return { staging, dir, counted, open, within, isHere: () => store.has(cid) }
}

const put = (owner: BlockOwner): Promise<void> => owner.put(cid, block)
const walk = (owner: BlockOwner): void => {
  owner.hold.keep(cid.multihash.bytes)
  owner.use(cid.multihash.bytes)
}
const upload = (owner: BlockOwner): Promise<void> => sinkOfDag(owner).put(cid, block)

test('a block counts from its writing on, and is removed with its request', async () => {
  const { open, within, counted, isHere } = await start()
  const staged = open('a')
  await within(staged, put)
  expect([counted, staged.ownBytes, await isHere()]).toEqual([{ a: 4096 }, 0, true])
  for (let turn = 0; turn < 2; turn++) await within(staged, walk)
  expect([counted, staged.ownBytes]).toEqual([{ a: 4096 }, 4096])
  await staged.discard()
  expect([counted, await isHere()]).toEqual([{ a: 0 }, false])
  await expect(within(staged, put)).rejects.toMatchObject({ code: 'aborted' })
  expect(await isHere()).toBe(false)
})

test.each(['walked', 'uploaded', 'walked outside of any stage'])(
  'a block that another request has %s and pinned stays, whichever of them ends first',
  async (how) => {
    for (const isFirst of [true, false]) {
      const { open, within, counted, isHere } = await start()
      const failing = open('a')
      await within(failing, put)
      const pinning = how === 'walked outside of any stage' ? undefined : open('b')
      await within(pinning, how === 'uploaded' ? upload : walk)
      if (isFirst) await failing.discard()
      pinning?.keep()
      if (!isFirst) await failing.discard()
      expect(await isHere(), how).toBe(true)
      expect(Object.values(counted).every((bytes) => bytes === 0)).toBe(true)
    }
  },
)

test('a block that two requests use goes with the second, which is charged for it meanwhile if it has the space', async () => {
  for (const space of [10_000, 100]) {
    const { open, within, counted, isHere } = await start()
    const [first, second] = [open('a'), open('b', space)]
    await within(first, put)
    await within(second, put)
    expect(counted).toEqual({ a: 4096 })
    await first.discard()
    expect(counted).toEqual(space > 4096 ? { a: 0, b: 4096 } : { a: 4096 })
    expect(await isHere()).toBe(true)
    await second.discard()
    expect(await isHere()).toBe(false)
    expect(Object.values(counted).every((bytes) => bytes === 0)).toBe(true)
  }
})

test.each([
  ['was left', 'leave', upload],
  ['is not reachable from the pins of its request', 'keep', put],
] as const)(
  'a block that %s counts until a collection or a pin settles it, and no later request removes it',
  async (_, end, write) => {
    const { staging, open, within, counted, isHere } = await start()
    const [first, second] = [open('a'), open('b')]
    await within(first, write)
    first[end]()
    await within(second, put)
    await second.discard()
    expect([counted, staging.leftBytes, await isHere()]).toEqual([{ a: 4096 }, 4096, true])
    staging.settle(cid.multihash.bytes)
    expect([counted, staging.leftBytes]).toEqual([{ a: 0 }, 0])
  },
)

test('who waits for the same block writes it where its first writer may not', async () => {
  const { open, within, counted, isHere } = await start()
  const [poor, rich] = [open('a', 100), open('b')]
  const [refused, written] = await Promise.allSettled([within(poor, put), within(rich, put)])
  expect([refused.status, written.status]).toEqual(['rejected', 'fulfilled'])
  expect([counted, await isHere()]).toEqual([{ b: 4096 }, true])
})

test('a block that cannot be removed counts until a collection settles it', async () => {
  const { staging, dir, open, within, counted } = await start()
  const staged = open('a')
  await within(staged, put)
  const { folder, file } = placeOf(cid.multihash.bytes)
  // A folder in its place cannot be removed as a file, whoever tries.
  await rename(join(dir, folder, file), join(dir, folder, 'aside'))
  await mkdir(join(dir, folder, file))
  await staged.discard()
  expect([counted, staging.leftBytes]).toEqual([{ a: 4096 }, 4096])
  await rm(join(dir, folder, file), { recursive: true })
  staging.settle(cid.multihash.bytes)
  expect([counted, staging.leftBytes]).toEqual([{ a: 0 }, 0])
})

test('new blocks that nobody has pinned or removed are bounded', async () => {
  const { open, within } = await start(1)
  await within(open('a'), put)
  const other = await putBytes(memoryBlocks(), Buffer.from('another block'), codes.raw)
  await expect(within(open('b'), (owner) => owner.put(other, Buffer.from('another block')))).rejects.toMatchObject({
    code: 'storage',
  })
})

test('a block that a call has put is not put into the store again by the same call', async () => {
  const store = await openBlockStore(await tempFolder())
  let puts = 0
  const counting: typeof store = {
    ...store,
    put(...given) {
      puts++
      return store.put(...given)
    },
  }
  const staging = createStaging(counting, createHolds())
  const run = async (): Promise<StagedBlocks> => {
    const staged = staging.open({ lane: 'a', maxBlocks: 100, onBytes() {} })
    const twice = staging.own(staged, async function* (owner) {
      for (let turn = 0; turn < 2; turn++) yield await upload(owner)
    })
    for await (const _ of twice) continue
    return staged
  }
  await (await run()).discard()
  expect([puts, await store.has(cid)]).toEqual([1, false])
  // Another call looks for itself.
  ;(await run()).keep()
  expect([puts, await store.has(cid)]).toEqual([2, true])
})

test('unused blocks are those of the tenant that left them, until one is removed, used or settled', async () => {
  const { staging, open, within } = await start()
  const unused = (lane: string): number => [...staging.unused(lane)].length
  const staged = open('a')
  await within(staged, put)
  expect([unused('a'), unused('b')]).toEqual([0, 0])
  staged.leave()
  expect([unused('a'), unused('b')]).toEqual([1, 0])
  const second = open('b')
  await within(second, put)
  expect(unused('a')).toBe(0)
  second.leave()
  expect([unused('a'), unused('b')]).toEqual([1, 0])
  expect(await staging.removeLeft(cid.multihash.bytes, 'b')).toBe(false)
  expect(await staging.removeLeft(cid.multihash.bytes, 'a')).toBe(true)
  expect([unused('a'), staging.leftBytes]).toEqual([0, 0])
  const third = open('b')
  await within(third, put)
  third.leave()
  staging.settle(cid.multihash.bytes)
  expect([unused('b'), staging.leftBytes]).toEqual([0, 0])
})
