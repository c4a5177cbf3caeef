import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { blockPath } from '../../src/local/block-store.ts'
import { carOf, cidOf, codes } from '../local/read/dags.ts'
import { openTemp } from '../local/support.ts'
import { type Answer, form, type PartText, serve, type Served } from './serve.ts'

interface Host extends Served {
  readonly dir: string
}

async function open(): Promise<Host> {
  const backend = await openTemp()
  return { ...(await serve({ backend })), dir: backend.dir }
}

/** Changes a bit of the file of a block, whose length stays. */
async function rot({ dir }: Host, cid: CID): Promise<void> {
  const { folder, file } = blockPath(cid)
  const path = join(dir, 'blocks', folder, file)
  const bytes = await readFile(path)
  bytes[bytes.length >> 1]! ^= 4
  await writeFile(path, bytes)
}

const hashOf = ({ lines }: Answer): CID => CID.parse(String(lines.at(-1)!['Hash']))

/** The links of a block of dag-pb, in their order. */
async function linksOf({ post }: Host, cid: CID): Promise<readonly CID[]> {
  const { lines } = await post(`refs?arg=${cid}`)
  return lines.map(({ Ref }) => CID.parse(String(Ref)))
}

/** Follows the last link so many times. */
async function below(host: Host, cid: CID, levels: number): Promise<CID> {
  let at = cid
  for (let level = 0; level < levels; level++) at = (await linksOf(host, at)).at(-1)!
  return at
}

const text = Array.from({ length: 36_000 }, (_, at) => `${at} `).join('')
const file: readonly PartText[] = [{ file: 'a', content: text }]
const folder: readonly PartText[] = [
  { file: 'd/a', content: text },
  { file: 'd/sub/b', content: 'b' },
  { file: 'd/link', type: 'application/symlink', content: 'a' },
]
/** Names that are long enough for a directory in shards. */
const many: readonly PartText[] = Array.from({ length: 1_300 }, (_, at) => ({
  file: `d/${String(at).padStart(220, '0')}`,
  content: 'x',
}))
const value = (inner: CID): Uint8Array => dagCbor.encode({ inner })
const leaf = dagCbor.encode({ list: Array.from({ length: 50 }, (_, at) => at) })
const leafCid = cidOf(leaf, codes.cbor)
const rootCid = cidOf(value(leafCid), codes.cbor)
const archive = carOf([rootCid], [[rootCid, value(leafCid)], [leafCid, leaf]]) // prettier-ignore

type Upload = (host: Host) => Promise<CID>
const add =
  (query: string, parts: readonly PartText[]): Upload =>
  async ({ post }) =>
    hashOf(await post(`add?${query}`, form(...parts)))
const putCbor: Upload = async ({ post }) => {
  const { lines } = await post('dag/put?pin=true', form({ file: 'a', content: '{"a":"some words of a value"}' }))
  return CID.parse((lines[0]!['Cid'] as { '/': string })['/'])
}
const importArchive: Upload = async ({ post }) => {
  const { status } = await post('dag/import', form({ file: 'a', content: archive }))
  expect(status).toBe(200)
  return rootCid
}

const places: readonly (readonly [string, Upload, (host: Host, root: CID) => Promise<CID> | CID])[] = [
  ['the root of a file', add('chunker=size-1024', file), (_, root) => root],
  ['an inner block of a file', add('chunker=size-1024', file), (host, root) => below(host, root, 1)],
  ['a leaf of a file', add('chunker=size-1024', file), (host, root) => below(host, root, 2)],
  ['a raw leaf', add('chunker=size-1024&cid-version=1', file), (host, root) => below(host, root, 2)],
  ['a file of one raw block', add('cid-version=1', [{ file: 'a', content: 'one block' }]), (_, root) => root],
  ['an inner block of a trickle file', add('chunker=size-1024&trickle=true', file), (host, root) => below(host, root, 1)],
  ['a directory', add('', folder), (_, root) => root],
  ['a directory below another', add('', folder), (host, root) => below(host, root, 1)],
  ['a symlink', add('', folder), async (host, root) => (await linksOf(host, root))[1]!],
  ['the root of a directory in shards', add('', many), (_, root) => root],
  ['a shard below it', add('', many), (host, root) => below(host, root, 1)],
  ['a block of dag-cbor', putCbor, (_, root) => root],
  ['a block of dag-cbor above another', importArchive, () => rootCid],
  ['a block of dag-cbor below another', importArchive, () => leafCid],
] // prettier-ignore

const walk = (host: Host, root: CID): Promise<Answer> => host.post(`dag/export?arg=${root}`)

describe.each(places)('a rotten block: %s', (_, upload, find) => {
  it('is repaired by the first upload of the same content', async () => {
    const host = await open()
    const root = await upload(host)
    const { bytes } = await walk(host, root)
    await rot(host, await find(host, root))
    await upload(host)
    expect(Buffer.compare((await walk(host, root)).bytes, bytes)).toBe(0)
  })

  it('is repaired by the first import of an archive that has it', async () => {
    const host = await open()
    const root = await upload(host)
    const { bytes } = await walk(host, root)
    await rot(host, await find(host, root))
    const { status, lines } = await host.post('dag/import', form({ file: 'a', content: bytes }))
    expect([status, lines[0]]).toMatchObject([200, { Root: { PinErrorMsg: '' } }])
    expect(Buffer.compare((await walk(host, root)).bytes, bytes)).toBe(0)
  })

  it('is repaired when it is put alone', async () => {
    const host = await open()
    const root = await upload(host)
    const { bytes } = await walk(host, root)
    const cid = await find(host, root)
    const block = await host.post(`block/get?arg=${cid}`)
    await rot(host, cid)
    const codec = { 0x55: 'raw', 0x70: 'dag-pb', 0x71: 'dag-cbor' }[cid.code]
    const { status } = await host.post(`block/put?cid-codec=${codec}`, form({ file: 'a', content: block.bytes }))
    expect(status).toBe(200)
    expect(Buffer.compare((await walk(host, root)).bytes, bytes)).toBe(0)
  })
})

it('known content is not written again', async () => {
  const host = await open()
  const upload = add('chunker=size-1024', file)
  await upload(host)
  const files = async (): Promise<unknown> => {
    const names = await readdir(join(host.dir, 'blocks'), { recursive: true, withFileTypes: true })
    return names.filter((each) => each.isFile()).map((each) => each.name).toSorted() // prettier-ignore
  }
  const before = await files()
  await upload(host)
  expect(await files()).toEqual(before)
})
