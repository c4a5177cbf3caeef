import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import * as dagCbor from '@ipld/dag-cbor'
import { encode as encodePb } from '@ipld/dag-pb'
import fc from 'fast-check'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced, trickle } from 'ipfs-unixfs-importer/layout'
import { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { unlessAborted } from '../../../src/abortable.ts'
import { IpfsError } from '../../../src/error.ts'
import { catFile } from '../../../src/local/read/cat-file.ts'
import { exportCar } from '../../../src/local/read/export-car.ts'
import type { CarShape } from '../../../src/local/read/fetch-car.ts'
import { fetchingSource, type FetchingSource } from '../../../src/local/read/fetching-source.ts'
import { tarOf } from '../../../src/local/read/tar-of.ts'
import { walkDag, walkInOrder } from '../../../src/local/read/walk-dag.ts'
import {
  all,
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
  varint,
} from './dags.ts'
import { type FakeClock, fakeClock } from '../../fake-clock.ts'
import { type FakeGateway, startGateway } from './gateways.ts'

const ordered = 'application/vnd.ipld.car; version=1; order=dfs; dups=n'
const header = dagCbor.encode({ version: 1, roots: [] })
const start = Buffer.concat([Uint8Array.of(header.length), header])

function section(cid: CID, bytes: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.from(varint(BigInt(cid.bytes.length + bytes.length))), cid.bytes, bytes])
}

const cidIn = (url = ''): CID => CID.parse(/^\/ipfs\/(\w+)\?/.exec(url)![1]!)

/** Answers with what `store` has; `archive` may say otherwise for archives. */
function serving(
  store: MemoryBlocks,
  archive?: (response: ServerResponse, cid: CID) => unknown,
): FakeGateway['answer'] {
  return async (response, { url }) => {
    const cid = cidIn(url)
    const bytes = await store.get(cid, never).catch(() => undefined)
    if (bytes === undefined) return void response.writeHead(404).end()
    if (url!.includes('format=raw')) return void response.end(bytes)
    if (archive !== undefined) return void archive(response, cid)
    response.setHeader('content-type', ordered)
    Readable.from(await exportCar(store, cid, never)).pipe(response)
  }
}

/** An archive of these bytes, whatever they are. */
const sends = (...parts: readonly Uint8Array[]) => {
  return (response: ServerResponse) => {
    response.setHeader('content-type', ordered)
    response.end(Buffer.concat(parts))
  }
}

function sourceOf(...gateways: readonly FakeGateway[]): FetchingSource & { store: MemoryBlocks; clock: FakeClock } {
  const [store, clock] = [memoryBlocks(), fakeClock()]
  const urls = gateways.map(({ url }) => url)
  return { ...fetchingSource(store, { gateways: urls, clock, timeoutMs: 1000 }), store, clock }
}

async function cat(source: FetchingSource, cid: CID, from = 0n, length?: bigint): Promise<Buffer> {
  const range = from > 0n || length !== undefined ? { from, length } : undefined
  const below = source.below(cid, { scope: 'entity', range })
  try {
    return await collect((await catFile(below, { cid, segments: [] }, { offset: from, length }, never)).bytes)
  } finally {
    below.close()
  }
}

async function hold(source: FetchingSource, cid: CID): Promise<string[]> {
  const below = source.below(cid, { scope: 'all' })
  const walked = await all(walkDag(below, cid, { recursive: true }, never))
  below.close()
  return walked.map((block) => String(block.cid))
}

const kinds = ({ requests }: FakeGateway): string[] =>
  requests.map(({ url }) => (url!.includes('format=car') ? 'archive' : 'block'))

const content = noise(40_000)
const layouts = {
  balanced: { chunker: fixedSize({ chunkSize: 1000 }), layout: balanced({ maxChildrenPerNode: 5 }) },
  'raw leaves': { chunker: fixedSize({ chunkSize: 1000 }), rawLeaves: true },
  trickle: { chunker: fixedSize({ chunkSize: 1000 }), layout: trickle({ layerRepeat: 2, maxChildrenPerNode: 4 }) },
}

async function fileOf(bytes: Uint8Array = content, layout: keyof typeof layouts = 'balanced') {
  const store = memoryBlocks()
  return { store, cid: await importAll(store, [{ content: bytes }], layouts[layout]) }
}

describe('what lies below a block that is not here', () => {
  test.each(Object.keys(layouts) as (keyof typeof layouts)[])('comes in one request, as a file: %s', async (layout) => {
    const { store, cid } = await fileOf(content, layout)
    const gateway = await startGateway(serving(store))
    const source = sourceOf(gateway)
    expect((await cat(source, cid)).equals(content)).toBe(true)
    expect(gateway.requests.map(({ url, headers }) => [url, headers.accept])).toEqual([
      [`/ipfs/${cid}?format=car&dag-scope=entity`, 'application/vnd.ipld.car; version=1; order=dfs; dups=n'],
    ])
    expect(source.store.blocks).toEqual(store.blocks)
    await expect.poll(() => source.clock.pending).toBe(0)
  })

  test('comes in one request, when it is pinned, exported or archived', async () => {
    const store = memoryBlocks()
    const entries = Array.from({ length: 30 }, (_, at) => ({
      path: `d/e${at % 3}/${at}`,
      content: noise(2000, at + 1),
    }))
    const cid = await importAll(store, entries, { ...layouts.balanced, shardSplitThresholdBytes: 100 })
    const gateway = await startGateway(serving(store))
    const read = async (run: (below: ReturnType<FetchingSource['below']>) => Promise<unknown>): Promise<void> => {
      const source = sourceOf(gateway)
      await run(source.below(cid, { scope: 'all' }))
      expect(source.store.blocks).toEqual(store.blocks)
      expect(gateway.requests.splice(0).map(({ url }) => url)).toEqual([`/ipfs/${cid}?format=car&dag-scope=all`])
    }
    await read((below) => all(walkDag(below, cid, { recursive: true }, never)))
    await read(async (below) => all(await exportCar(below, cid, never)))
    await read(async (below) => all(await tarOf(below, { cid, segments: [] }, 'd', never)))
  })

  test('comes once for all who read it at the same time', async () => {
    const { store, cid } = await fileOf()
    const gateway = await startGateway(serving(store))
    const source = sourceOf(gateway)
    const read = await Promise.all([cat(source, cid), cat(source, cid), hold(source, cid)])
    expect(read[0].equals(read[1])).toBe(true)
    // Who comes late may find that a block has just passed, and that it is here.
    expect(kinds(gateway).filter((kind) => kind === 'block')).toEqual([])
    expect(source.store.blocks).toEqual(store.blocks)
  })

  test('is asked for by its bytes where only some of a file are wanted', async () => {
    const { store, cid } = await fileOf()
    const gateway = await startGateway(serving(store, async (response) => {
      const wanted = memoryBlocks()
      for (const [key, bytes] of store.blocks) wanted.blocks.set(key, bytes)
      store.gets.length = 0
      await collect((await catFile(store, { cid, segments: [] }, { offset: 20_500n, length: 1000n }, never)).bytes)
      const asked = new Set(store.gets)
      const parts: Uint8Array[] = [start]
      for await (const block of walkInOrder(wanted, cid, never)) {
        if (asked.has(String(block.cid))) parts.push(section(block.cid, block.bytes))
      }
      sends(...parts)(response)
    })) // prettier-ignore
    const source = sourceOf(gateway)
    expect((await cat(source, cid, 20_500n, 1000n)).equals(content.subarray(20_500, 21_500))).toBe(true)
    expect(gateway.requests.map(({ url }) => url)).toEqual([
      `/ipfs/${cid}?format=car&dag-scope=entity&entity-bytes=20500:21499`,
    ])
    expect(source.store.blocks.size).toBeLessThan(8)
    await cat(sourceOf(gateway), cid, 39_999n)
    expect(gateway.requests[1]!.url).toBe(`/ipfs/${cid}?format=car&dag-scope=entity&entity-bytes=39999:*`)
  })

  test('of a wide directory costs no more for each block than one of a narrow directory', async () => {
    const store = memoryBlocks()
    const linkTo = async (bytes: Uint8Array, code: number = codes.raw) => ({
      Hash: await putBytes(store, bytes, code),
      Name: '',
      Tsize: 1,
    })
    const wide = await Promise.all(Array.from({ length: 12_000 }, (_, at) => linkTo(Buffer.from(`leaf ${at}`))))
    // Whoever walks waits for these meanwhile.
    const others = await Promise.all(
      Array.from({ length: 8 }, (_, at) => linkTo(encodePb({ Data: Uint8Array.of(at), Links: [] }), codes.pb)),
    )
    const Links = [await linkTo(encodePb({ Links: wide }), codes.pb), ...others]
    const root = await putBytes(store, encodePb({ Links }), codes.pb)
    const gateway = await startGateway(serving(store))
    expect((await hold(sourceOf(gateway), root)).length).toBe(12_010)
    expect(kinds(gateway)).toEqual(['archive'])
  })

  test('that identity CIDs link to is expected, also where they are sent', async () => {
    const store = memoryBlocks()
    const leaf = await putBytes(store, content)
    const inline = identityOf(encodePb({ Links: [{ Hash: leaf, Name: 'leaf', Tsize: 1 }] }), codes.pb)
    const root = await putBytes(store, encodePb({ Links: [{ Hash: inline, Name: 'a', Tsize: 1 }] }), codes.pb)
    const gateway = await startGateway(serving(store))
    const source = sourceOf(gateway)
    expect(await hold(source, root)).toEqual([String(root), String(leaf)])
    expect(kinds(gateway)).toEqual(['archive'])
  })

  test('that no gateway has is asked for once at each', async () => {
    const gateways = [await startGateway(serving(memoryBlocks())), await startGateway(serving(memoryBlocks()))]
    const { cid } = await fileOf()
    await expect(cat(sourceOf(...gateways), cid)).rejects.toMatchObject({
      code: 'not_found',
      message: `block was not found at any gateway: ipld: could not find ${cid}`,
    })
    expect(gateways.map(kinds)).toEqual([['archive'], ['archive']])
  })
})

describe('an archive that ends early', () => {
  test('anywhere, by its end or with its connection, is completed by blocks', async () => {
    const { store, cid } = await fileOf()
    const archive = await collect(await exportCar(store, cid, never))
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length), fc.boolean(), fc.boolean(), async (length, isCut, isPin) => {
        let answered = 0
        const gateway = await startGateway(
          serving(store, (response) => {
            if (answered++ > 0) return void response.writeHead(406).end()
            response.setHeader('content-type', ordered)
            response.write(archive.subarray(0, length), () => (isCut ? response.destroy() : response.end()))
          }),
        )
        const source = sourceOf(gateway)
        if (isPin) await hold(source, cid)
        else expect((await cat(source, cid)).equals(content)).toBe(true)
        expect(source.store.blocks).toEqual(store.blocks)
        // Nothing is asked for twice.
        expect(new Set(gateway.requests.map(({ url }) => url)).size).toBe(gateway.requests.length)
      }),
      { numRuns: 20 },
    )
  })

  test('is completed by whoever sent it, though another gateway has nothing of it', async () => {
    const { store, cid } = await fileOf()
    const archive = await collect(await exportCar(store, cid, never))
    const none = await startGateway(serving(memoryBlocks()))
    const some = await startGateway(serving(store, sends(archive.subarray(0, archive.length - 20))))
    expect((await cat(sourceOf(none, some), cid)).equals(content)).toBe(true)
    expect((await hold(sourceOf(none, some), cid)).length).toBe(store.blocks.size)
  })

  test('by silence is given up after the deadline for a block', async () => {
    const { store, cid } = await fileOf()
    const archive = await collect(await exportCar(store, cid, never))
    const silent = Promise.withResolvers<ServerResponse>()
    const gateway = await startGateway(
      serving(store, (response) => {
        response.setHeader('content-type', ordered)
        response.write(archive.subarray(0, 10_000), () => silent.resolve(response))
      }),
    )
    const source = sourceOf(gateway)
    const reading = cat(source, cid)
    const closed = once(await silent.promise, 'close')
    await expect.poll(() => source.store.blocks.size).toBeGreaterThan(5)
    gateway.answer = serving(store, (response) => void response.writeHead(406).end())
    source.clock.advance(1000)
    await closed
    expect((await reading).equals(content)).toBe(true)
  })

  test('before its first block is asked of the next gateway', async () => {
    const { store, cid } = await fileOf()
    const empty = await startGateway(serving(store, sends(start)))
    const full = await startGateway(serving(store))
    expect((await cat(sourceOf(empty, full), cid)).equals(content)).toBe(true)
    expect([kinds(empty), kinds(full)]).toEqual([['archive'], ['archive']])
  })

  test('because a block of it lies elsewhere is completed from there', async () => {
    const { store, cid } = await fileOf()
    const some = memoryBlocks()
    for (const [key, bytes] of [...store.blocks].filter((_, at) => at % 3 !== 1)) some.blocks.set(key, bytes)
    const root = await store.get(cid, never)
    await some.put(cid, root)
    const first = await startGateway(serving(some, async (response) => {
      const parts: Uint8Array[] = [start]
      try {
        for await (const block of walkInOrder(some, cid, never)) parts.push(section(block.cid, block.bytes))
      } catch {}
      sends(...parts)(response)
    })) // prettier-ignore
    const source = sourceOf(first, await startGateway(serving(store)))
    expect((await cat(source, cid)).equals(content)).toBe(true)
  })
})

describe('a gateway', () => {
  const without: readonly (readonly [string, (response: ServerResponse) => unknown])[] = [
    ['answers 406', (response) => response.writeHead(406).end()],
    ['answers 400', (response) => response.writeHead(400).end()],
    ['sends the file itself', (response) => response.end(content)],
    [
      'sends no order',
      (response) => response.setHeader('content-type', 'application/vnd.ipld.car; order=unk').end(start),
    ],
    ['sends no archive', sends(Buffer.from('<html>not what you think</html>'))],
  ]
  test.each(without)('that %s has no archives, and is asked for none for ten minutes', async (_, archive) => {
    const { store, cid } = await fileOf()
    const gateway = await startGateway(serving(store, archive))
    const source = sourceOf(gateway)
    expect((await cat(source, cid)).equals(content)).toBe(true)
    expect(kinds(gateway)).toEqual(['archive', ...Array.from(store.blocks, () => 'block')])
    source.store.blocks.clear()
    source.clock.advance(599_000)
    gateway.requests.length = 0
    await cat(source, cid)
    expect(kinds(gateway)).not.toContain('archive')
    source.store.blocks.clear()
    source.clock.advance(2000)
    gateway.answer = serving(store)
    gateway.requests.length = 0
    await cat(source, cid)
    expect(kinds(gateway)).toEqual(['archive'])
  }) // prettier-ignore

  test('that sends a wrong byte is not asked for anything for ten minutes, and what it sent is not kept', async () => {
    const { store, cid } = await fileOf()
    const archive = await collect(await exportCar(store, cid, never))
    archive[archive.length - 5_000]! ^= 1
    const liar = await startGateway(serving(store, sends(archive)))
    const honest = await startGateway(serving(store))
    const source = sourceOf(liar, honest)
    expect((await cat(source, cid)).equals(content)).toBe(true)
    expect(kinds(liar)).toEqual(['archive'])
    expect(honest.requests.length).toBeGreaterThan(0)
    expect(source.store.blocks).toEqual(store.blocks)
    source.store.blocks.clear()
    await cat(source, cid)
    expect(liar.requests.length).toBe(1)
    archive[200]! ^= 1
    const alone = sourceOf(await startGateway(serving(store, sends(archive))))
    await expect(cat(alone, cid)).rejects.toMatchObject({ code: 'mismatch', message: /127\.0\.0\.1/ })
    expect(alone.store.blocks.size).toBe(0)
  })

  test('that sends blocks that nobody asked for is asked for single ones alone', async () => {
    const { store, cid } = await fileOf()
    const foreign = noise(500, 9)
    const foreignCid = cidOf(foreign)
    const archive = await collect(await exportCar(store, cid, never))
    for (const parts of [
      [start, section(foreignCid, foreign), archive.subarray(start.length)],
      [archive, section(foreignCid, foreign)],
      [start, section(cid, await store.get(cid, never)), section(cid, await store.get(cid, never))],
    ]) {
      const gateway = await startGateway(serving(store, sends(...parts)))
      const source = sourceOf(gateway)
      expect((await cat(source, cid)).equals(content)).toBe(true)
      expect(source.store.blocks).toEqual(store.blocks)
      await expect.poll(() => source.clock.pending).toBe(0)
      source.store.blocks.clear()
      gateway.requests.length = 0
      await cat(source, cid)
      expect(kinds(gateway)).not.toContain('archive')
    }
  })

  test('that repeats blocks for ever, as their DAG does, is not listened to for ever', async () => {
    const store = memoryBlocks()
    let chain = await putBytes(store, noise(10), codes.raw)
    for (let level = 0; level < 40; level++) chain = await putBytes(store, dagCbor.encode([chain, chain]), codes.cbor)
    const late = await putBytes(store, noise(20))
    const root = await putBytes(store, dagCbor.encode([chain, late]), codes.cbor)
    async function* endless(cid: CID): AsyncGenerator<Uint8Array> {
      yield start
      const stack = [cid]
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const bytes = await store.get(next, never)
        yield section(next, bytes)
        if (next.code === codes.cbor) stack.push(...dagCbor.decode<CID[]>(bytes).toReversed())
      }
    }
    const gateway = await startGateway(
      serving(store, (response, cid) => {
        response.setHeader('content-type', 'application/vnd.ipld.car; version=1; order=dfs; dups=y')
        Readable.from(endless(cid)).on('error', () => {}).pipe(response)
      }),
    ) // prettier-ignore
    const source = sourceOf(gateway)
    expect((await hold(source, root)).length).toBe(43)
    expect(kinds(gateway)).toEqual(['archive', 'block'])
  })

  test('that sends a whole file instead of its last bytes is stopped', async () => {
    const bytes = noise(28 * 2 ** 20)
    const store = memoryBlocks()
    const cid = await importAll(store, [{ content: bytes }], { chunker: fixedSize({ chunkSize: 2 ** 20 }), rawLeaves: true })
    const gateway = await startGateway(serving(store))
    const source = sourceOf(gateway)
    expect((await cat(source, cid, BigInt(bytes.length - 10))).equals(bytes.subarray(-10))).toBe(true)
    expect(kinds(gateway)).toEqual(['archive', 'block'])
    expect(source.store.blocks.size).toBeLessThan(20)
  }) // prettier-ignore
})

describe('a reader', () => {
  /** An archive that ends only with its connection. */
  async function openEnded(): Promise<{ gateway: FakeGateway; cid: CID; closed: Promise<unknown> }> {
    const store = memoryBlocks()
    const chunker = fixedSize({ chunkSize: 100_000 })
    const layout = balanced({ maxChildrenPerNode: 5 })
    const cid = await importAll(store, [{ content: noise(32 * 2 ** 20, 7) }], { chunker, layout, rawLeaves: true })
    const archive = await collect(await exportCar(store, cid, never))
    const closed = Promise.withResolvers<unknown>()
    const gateway = await startGateway(
      serving(store, (response) => {
        response.on('close', () => closed.resolve(response.writableFinished))
        sends(archive)(response)
      }),
    )
    return { gateway, cid, closed: closed.promise }
  }

  test('that leaves ends the archive, which was read no further than it read', async () => {
    const { gateway, cid, closed } = await openEnded()
    const source = sourceOf(gateway)
    const below = source.below(cid, { scope: 'entity' })
    const { bytes } = await catFile(below, { cid, segments: [] }, { offset: 0n, length: undefined }, never)
    let read = 0
    for await (const part of bytes) if ((read += part.length) > 1_000_000) break
    expect(source.store.blocks.size).toBeLessThan(60)
    below.close()
    expect(await closed).toBe(false)
    expect(source.clock.pending).toBe(0)
  })

  test('that leaves takes no other gateway from who waits for the same', async () => {
    const { store, cid } = await fileOf()
    const asked = Promise.withResolvers<void>()
    const none = await startGateway(serving(memoryBlocks()))
    const slow = await startGateway(serving(store, () => asked.resolve()))
    const source = sourceOf(none, slow)
    const [first, second] = [source.below(cid, { scope: 'all' }), source.below(cid, { scope: 'all' })]
    const controller = new AbortController()
    const [left, other] = [first.get(cid, controller.signal), second.get(cid, never)]
    await asked.promise
    controller.abort()
    first.close()
    await expect(left).rejects.toMatchObject({ code: 'aborted' })
    expect(Buffer.compare(await other, await store.get(cid, never))).toBe(0)
  })

  test('that waits for something that never comes leaves at once, even where it should have left before', async () => {
    await expect(unlessAborted(new Promise(() => {}), AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
  })

  test('that waits too long loses the archive, and asks anew when it goes on', async () => {
    const { gateway, cid, closed } = await openEnded()
    const source = sourceOf(gateway)
    const below = source.below(cid, { scope: 'entity' })
    const { bytes } = await catFile(below, { cid, segments: [] }, { offset: 0n, length: undefined }, never)
    source.clock.advance(1000)
    expect(await closed).toBe(false)
    for await (const part of bytes) if (part.length > 0) break
    below.close()
    expect(kinds(gateway).filter((kind) => kind === 'archive').length).toBe(2)
    expect(gateway.requests[1]!.url).not.toContain(String(cid))
  })

  test('that aborts, or whose store is closed, waits no longer', async () => {
    const { store, cid } = await fileOf()
    const asked = Promise.withResolvers<void>()
    const gateway = await startGateway(serving(store, () => asked.resolve()))
    const source = sourceOf(gateway)
    const below = source.below(cid, { scope: 'all' } satisfies CarShape)
    const controller = new AbortController()
    const [left, other] = [below.get(cid, controller.signal), below.get(cid, never)]
    await asked.promise
    controller.abort()
    await expect(left).rejects.toMatchObject({ code: 'aborted' })
    const closing = new IpfsError('closed', 'closed')
    source.close(closing)
    await expect(other).rejects.toBe(closing)
    expect(source.clock.pending).toBe(0)
  })

  test('hears of a disk that refuses', async () => {
    const { store, cid } = await fileOf()
    const source = sourceOf(await startGateway(serving(store)))
    const put = source.store.put.bind(source.store)
    let puts = 0
    source.store.put = async (...block) => (puts++ < 5 ? put(...block) : Promise.reject(new Error('full')))
    await expect(cat(source, cid)).rejects.toThrow('full')
  })
})
