import { encode, type PBLink } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { createIpfsClient } from '../../src/index.ts'
import { linesOf } from '../../src/client/lines.ts'
import { gather } from '../../src/unixfs/gather.ts'
import { allOf, header, sectionOf, startTestHost, type TestHost } from './test-host.ts'

async function keep(host: TestHost, data: Uint8Array, links: readonly (readonly [string, CID])[]): Promise<CID> {
  const bytes = encode({ Data: data, Links: links.map(([Name, Hash]): PBLink => ({ Name, Hash, Tsize: 0 })) })
  const cid = CID.create(1, 0x70, await sha256.digest(bytes))
  host.blocks.set(cid.toString(), bytes)
  return cid
}

const directory = Uint8Array.of(8, 1)

/** UnixFS data of a shard of eight slots; `field`: which of them are taken. */
const shard = (field: number): Uint8Array =>
  Uint8Array.of(8, 5, ...(field === 0 ? [] : [0x12, 1, field]), 0x28, 0x22, 0x30, 8)

describe('a directory that was made to keep its reader busy', () => {
  it('of shards without an entry is refused at the first of them', async () => {
    await using host = await startTestHost()
    let cid = await keep(host, shard(0), [])
    for (let depth = 0; depth < 20; depth++) {
      cid = await keep(
        host,
        shard(255),
        Array.from('01234567', (slot) => [slot, cid] as const),
      )
    }
    const client = createIpfsClient({ url: host.url })
    await expect(allOf(client.ls(cid.toString()))).rejects.toMatchObject({ code: 'bad_content' })
    await expect(allOf(client.get(cid.toString()))).rejects.toMatchObject({ code: 'bad_content' })
  })

  it('whose shard is a file is refused, also on a path', async () => {
    await using host = await startTestHost()
    const raw = CID.create(1, 0x55, await sha256.digest(new Uint8Array(3)))
    host.blocks.set(raw.toString(), new Uint8Array(3))
    const cid = await keep(
      host,
      shard(255),
      Array.from('01234567', (slot) => [slot, raw] as const),
    )
    const client = createIpfsClient({ url: host.url })
    await expect(client.cat(`${cid}/x`).bytes()).rejects.toMatchObject({ code: 'bad_content' })
    await expect(allOf(client.ls(cid.toString()))).rejects.toMatchObject({ code: 'bad_content' })
  })

  it('that lies in itself a thousand levels deep is left before that', async () => {
    await using host = await startTestHost()
    let cid = await keep(host, directory, [])
    for (let depth = 0; depth < 1000; depth++) cid = await keep(host, directory, [['d', cid]])
    let entries = 0
    const reading = async (): Promise<void> => {
      for await (const { type } of createIpfsClient({ url: host.url }).get(cid.toString())) entries += type.length / 9
    }
    await expect(reading()).rejects.toMatchObject({ code: 'too_large' })
    expect(entries).toBe(513)
  })
})

describe('an archive', () => {
  const bytes = Buffer.alloc(1_500_000, 'bytes that are not all the same in each of their blocks')

  it('that comes in pieces of a byte is read', async () => {
    const small = bytes.subarray(0, 20_000)
    await using host = await startTestHost()
    const { cid } = await createIpfsClient({ url: host.url }).add(small, { chunker: 'size-5000' })
    const fetch = async (...args: Parameters<typeof globalThis.fetch>): Promise<Response> => {
      const whole = new Uint8Array(await (await globalThis.fetch(...args)).arrayBuffer())
      let at = 0
      return new Response(
        new ReadableStream({
          pull: (controller) => (at < whole.length ? controller.enqueue(whole.slice(at, ++at)) : controller.close()),
        }),
      )
    }
    const read = createIpfsClient({ url: host.url, fetch }).cat(cid)
    expect(small.equals(await read.bytes())).toBe(true)
    expect(await read.verification).toBe('proven')
  })

  it('that names its blocks by another version of their CIDs than their parents do is read, and no block asked for', async () => {
    const sections: Buffer[] = []
    await using host = await startTestHost(({ path, response }) => {
      if (path !== 'dag/export') return false
      response.end(Buffer.concat([header, ...sections]))
      return true
    })
    const client = createIpfsClient({ url: host.url })
    const { cid } = await client.add(bytes, { pin: false })
    const blocks = [...host.blocks].map(([name, block]) => sectionOf(CID.parse(name), block))
    sections.push(blocks.at(-1)!, ...blocks.slice(0, -1))
    const read = client.cat(cid)
    expect(bytes.equals(await read.bytes())).toBe(true)
    expect(host.calls).toEqual(['add', 'block/stat', 'dag/export'])
  })

  it('of which all is here already ends with the signal of its reader', async () => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url })
    const { cid } = await client.add(Buffer.alloc(40_000, 'x'), { chunker: 'size-100' })
    const controller = new AbortController()
    let chunks = 0
    const reading = async (): Promise<void> => {
      for await (const _ of client.cat(cid, { signal: controller.signal })) if (++chunks === 3) controller.abort()
    }
    await expect(reading()).rejects.toMatchObject({ code: 'aborted' })
    expect(chunks).toBe(3)
  })
})

describe('a block', () => {
  it('whose CID holds it, or a digest of SHA-512 that was cut, is proven', async () => {
    const bytes = Buffer.from('some bytes')
    const inline = CID.createV1(0x55, createDigest(0, bytes))
    const cut = CID.createV1(0x55, createDigest(0x13, (await sha512.digest(bytes)).digest.slice(0, 32)))
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url, verify: 'proven' })
    for (const cid of [inline, cut]) {
      host.blocks.set(cid.toString(), bytes)
      expect(bytes.equals(await client.block.get(cid.toString()))).toBe(true)
      host.blocks.set(cid.toString(), Buffer.from('other bytes'))
      await expect(client.block.get(cid.toString())).rejects.toMatchObject({ code: 'mismatch' })
    }
    const short = CID.createV1(0x55, createDigest(0x12, (await sha256.digest(bytes)).digest.slice(0, 20)))
    await expect(client.block.get(short.toString())).rejects.toMatchObject({ code: 'unverified' })
  })
})

it('a block that was put under a CID that is none is no answer', async () => {
  await using host = await startTestHost(({ response }) => {
    response.end('{"Key":"x","Size":1}')
    return true
  })
  const client = createIpfsClient({ url: host.url })
  await expect(client.block.put(new Uint8Array(1))).rejects.toMatchObject({ code: 'invalid_response' })
  const path = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku/a'
  await expect(client.block.get(path)).rejects.toMatchObject({ code: 'bad_argument' })
})

// What takes as many steps as the square of these numbers does not end in the time of a test.
describe('small pieces', () => {
  const pieces = async function* (count: number): AsyncGenerator<Uint8Array> {
    const piece = Uint8Array.of(0x20)
    for (let i = 0; i < count; i++) yield piece
  }

  it('of a line are put together once', async () => {
    expect(await allOf(linesOf(pieces(900_000), (text) => text))).toEqual([])
    await expect(allOf(linesOf(pieces(1_100_000), (text) => text))).rejects.toMatchObject({ code: 'too_large' })
  })

  it('of a block are put together as they come', async () => {
    expect((await gather(pieces(500_000), 500_000)).length).toBe(500_000)
    await expect(gather(pieces(9), 8)).rejects.toMatchObject({ code: 'too_large' })
  })
})
