import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { decode as decodePb, encode as encodePb } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { directoryEntries } from '../../../src/unixfs/directory-entries.ts'
import { loadPb } from '../../../src/unixfs/load-block.ts'
import { murmur64 } from '../../../src/unixfs/murmur3.ts'
import { resolvePath } from '../../../src/local/read/resolve-path.ts'
import { requireUnixFs } from '../../../src/unixfs/unixfs-data.ts'
import {
  cidOf,
  codes,
  identityOf,
  importAll,
  memoryBlocks,
  type MemoryBlocks,
  never,
  putBytes,
  putFile,
} from './dags.ts'

const resolve = (store: MemoryBlocks, cid: CID, path: string) =>
  resolvePath(store, { cid, segments: path === '' ? [] : path.split('/') }, never)

async function linkAt(store: MemoryBlocks, cid: CID, path: string): Promise<string> {
  const found = await resolve(store, cid, path)
  expect(found.remainder).toEqual([])
  return found.cid.toString()
}

const contentOf = (name: string): Uint8Array => Buffer.from(`content of ${name}`)

async function sharded(
  names: readonly string[],
  shardFanoutBits?: number,
): Promise<{ readonly store: MemoryBlocks; readonly cid: CID }> {
  const store = memoryBlocks()
  const entries = names.map((name) => ({ path: `dir/${name}`, content: contentOf(name) }))
  const cid = await importAll(store, entries, {
    shardSplitThresholdBytes: 0,
    ...(shardFanoutBits === undefined ? {} : { shardFanoutBits }),
  })
  return { store, cid }
}

async function list(store: MemoryBlocks, cid: CID): Promise<Map<string, string>> {
  const node = await loadPb(store, cid, never)
  const names = new Map<string, string>()
  for await (const { name, cid: entry } of directoryEntries(store, node, requireUnixFs(node), never)) {
    names.set(name, entry.toString())
  }
  return names
}

test('the hash of sharded directories is MurmurHash3 x64-128, its first half', () => {
  // Digests of the reference implementation (SMHasher), read as big-endian numbers.
  expect(murmur64(Buffer.from(''))).toBe(0n)
  expect(murmur64(Buffer.from('hello'))).toBe(0xcbd8a7b341bd9b02n)
  expect(murmur64(Buffer.from('The quick brown fox jumps over the lazy dog'))).toBe(0xe34bbc7bbc071b6cn)
})

describe('a path through directories', () => {
  test('ends at the CID of its last link, which is not read', async () => {
    const store = memoryBlocks()
    const cid = await importAll(store, [
      { path: 'd/a/b/c.txt', content: Buffer.from('c') },
      { path: 'd/ü ", <.txt', content: Buffer.from('u') },
    ])
    store.gets.length = 0
    expect(await linkAt(store, cid, 'a/b/c.txt')).toBe(cidOf(Buffer.from('c')).toString())
    expect(store.gets.length).toBe(3)
    expect(await linkAt(store, cid, 'ü ", <.txt')).toBe(cidOf(Buffer.from('u')).toString())
  })

  test('that leads nowhere is told in the words of Kubo', async () => {
    const store = memoryBlocks()
    const cid = await importAll(store, [{ path: 'd/a/b', content: Buffer.from('b') }])
    const a = (await resolve(store, cid, 'a')).cid
    const b = (await resolve(store, cid, 'a/b')).cid
    await expect(resolve(store, cid, 'a/x')).rejects.toMatchObject({
      code: 'not_found',
      message: `no link named "x" under ${a}`,
    })
    await expect(resolve(store, cid, 'a/b/c')).rejects.toMatchObject({ message: `no link named "c" under ${b}` })
    await expect(resolve(store, cidOf(Buffer.from('gone'), codes.pb), 'x')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of no segments is its CID, whatever that is', async () => {
    const store = memoryBlocks()
    expect(await linkAt(store, cidOf(Buffer.from('gone'), 0x78), '')).toMatch(/^b/)
    expect(store.gets).toEqual([])
  })

  test('does not enter the parts of a file, though they are links without a name', async () => {
    const store = memoryBlocks()
    const cid = await putFile(store, { links: [[identityOf(Buffer.from('x')), 1n, 'part']] })
    await expect(resolve(store, cid, 'part')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('follows named links of dag-pb that is not of UnixFS', async () => {
    const store = memoryBlocks()
    const to = identityOf(Buffer.from('x'))
    const cid = await putBytes(store, encodePb({ Links: [{ Hash: to, Name: 'to', Tsize: 1 }] }), codes.pb)
    expect(await linkAt(store, cid, 'to')).toBe(to.toString())
  })
})

describe('a sharded directory', () => {
  const names = Array.from({ length: 3000 }, (_, index) => `file-${index}.txt`)

  test('of thousands finds each entry, in as few blocks as its levels', async () => {
    const { store, cid } = await sharded(names)
    for (const name of names.slice(0, 500)) {
      store.gets.length = 0
      expect(await linkAt(store, cid, name)).toBe(cidOf(contentOf(name)).toString())
      expect(store.gets.length).toBeLessThanOrEqual(3)
    }
    await expect(resolve(store, cid, 'file-3000.txt')).rejects.toMatchObject({
      message: `no link named "file-3000.txt" under ${cid}`,
    })
    // The prefix of a slot is no name.
    await expect(resolve(store, cid, '00')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('lists each entry once', async () => {
    const { store, cid } = await sharded(names)
    const listed = await list(store, cid)
    expect([...listed.keys()].toSorted()).toEqual(names.toSorted())
    expect(listed.get('file-7.txt')).toBe(cidOf(contentOf('file-7.txt')).toString())
  })

  test('may have another number of slots', async () => {
    const few = names.slice(0, 300)
    for (const bits of [3, 4, 10]) {
      const { store, cid } = await sharded(few, bits)
      expect((await list(store, cid)).size).toBe(300)
      for (const name of few.slice(0, 50))
        expect(await linkAt(store, cid, name)).toBe(cidOf(contentOf(name)).toString())
    }
  })

  test('whose links, bit field or places of names are wrong is refused', async () => {
    const { store, cid } = await sharded(['one', 'two', 'three'])
    const root = decodePb(await store.get(cid, never))
    const broken = async (change: (links: typeof root.Links, data: Buffer) => unknown): Promise<CID> => {
      const links = root.Links.map((link) => ({ ...link }))
      const data = Buffer.from(root.Data as Uint8Array)
      change(links, data)
      return await putBytes(store, encodePb({ Data: data, Links: links }), codes.pb)
    }
    const rename = (at: number, to: (name: string) => string) => (links: typeof root.Links) =>
      ((links.at(at) as { Name: string }).Name = to(links.at(at)?.Name as string))
    const cases: readonly (readonly [CID, RegExp])[] = [
      [await broken((links) => links.pop()), /other slots than its links/],
      [await broken(rename(-1, (name) => `ZZ${name.slice(2)}`)), /not in the order/],
      [await broken(rename(0, (name) => `${name}x`)), /not where it belongs/],
      [await broken((_, data) => (data[data.length - 1] = 1)), /it has 1 slots|no shard/],
    ]
    for (const [bad, message] of cases) {
      await expect(list(store, bad)).rejects.toMatchObject({ code: 'bad_content', message })
    }
  })

  test('that contains itself by its claim ends where the hash of a name does', async () => {
    // A chain of shards with one slot each: no two blocks are the same, and none has an entry.
    const store = memoryBlocks()
    const Data = Uint8Array.of(0x08, 5, 0x12, 1, 1, 0x28, 0x22, 0x30, 0x80, 2)
    let cid = await putBytes(
      store,
      encodePb({ Data, Links: [{ Hash: identityOf(Buffer.from('x')), Name: '00x' }] }),
      codes.pb,
    )
    for (let level = 0; level < 12; level++)
      cid = await putBytes(store, encodePb({ Data, Links: [{ Hash: cid, Name: '00' }] }), codes.pb)
    await expect(list(store, cid)).rejects.toMatchObject({ code: 'bad_content', message: /deeper/ })
    // Its hash is 0, so it goes down all the way.
    await expect(resolvePath(store, { cid, segments: [''] }, never)).rejects.toMatchObject({ code: 'bad_content' })
  })
})

test('a tree of endless shards without an entry is refused', async () => {
  const store = memoryBlocks()
  const shard = (data: number, links: readonly (readonly [CID, string])[]) => {
    const Data = Uint8Array.of(0x08, 5, 0x12, 1, data, 0x28, 0x22, 0x30, 8)
    return putBytes(store, encodePb({ Data, Links: links.map(([Hash, Name]) => ({ Hash, Name })) }), codes.pb)
  }
  let cid = await shard(0, [])
  for (let level = 0; level < 20; level++) cid = await shard(3, [[cid, '0'], [cid, '1']]) // prettier-ignore
  await expect(list(store, cid)).rejects.toMatchObject({ code: 'bad_content', message: /no entries/ })
  expect(store.gets.length).toBeLessThan(30)
})

describe('a path inside dag-cbor and dag-json', () => {
  test.each([
    ['dag-cbor', codes.cbor, dagCbor.encode],
    ['dag-json', codes.json, dagJson.encode],
  ])('of %s goes through maps and lists, and on where it meets a link', async (_, code, encode) => {
    const store = memoryBlocks()
    const file = await importAll(store, [{ path: 'd/file', content: Buffer.from('f') }])
    const inner = await putBytes(store, encode({ deep: [{ x: 1 }], file }), code)
    const cid = await putBytes(store, encode({ list: [0, { inner }], nil: null }), code)
    expect(await resolve(store, cid, 'list/1')).toEqual({ cid, remainder: ['list', '1'] })
    expect(await resolve(store, cid, 'nil')).toEqual({ cid, remainder: ['nil'] })
    expect(await linkAt(store, cid, 'list/1/inner')).toBe(inner.toString())
    expect((await resolve(store, cid, 'list/1/inner/deep/0/x')).remainder).toEqual(['deep', '0', 'x'])
    expect(await linkAt(store, cid, 'list/1/inner/file/file')).toBe(cidOf(Buffer.from('f')).toString())
    for (const nothing of ['list/2', 'list/01', 'list/-1', 'list/length', 'toString', 'nil/x', '__proto__']) {
      const name = nothing.split('/').at(-1)
      await expect(resolve(store, cid, nothing)).rejects.toMatchObject({
        code: 'not_found',
        message: `no link named "${name}" under ${cid}`,
      })
    }
  })

  test('says which codecs it knows', async () => {
    const store = memoryBlocks()
    const cid = await putBytes(store, Buffer.from('git'), 0x78)
    await expect(resolve(store, cid, 'x')).rejects.toMatchObject({ code: 'unsupported', message: /dag-cbor.*0x78/ })
  })

  test('tells a block that is nested deeper than calls can be as bad content', async () => {
    const store = memoryBlocks()
    const cid = await putBytes(store, Buffer.alloc(2 ** 20, 0x81), codes.cbor)
    await expect(resolve(store, cid, '0')).rejects.toMatchObject({ code: 'bad_content' })
  })
})
