// A real Kubo as the trustless gateway of a local store: what one request brings, and that it is what Kubo has.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalBackend, type LocalBackend } from '@wayleave/ipfs-http/local'
import { CID, create, type KuboRPCClient } from 'kubo-rpc-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type KuboNode, startKubo } from './support/kubo-node.ts'

const program = process.env['KUBO']

type Cid = Parameters<LocalBackend['getBlock']>[0]

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** Bytes that no two chunks share. */
function content(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE((at * 2_654_435_761 + seed * 40_503) >>> 0, at)
  return bytes
}

describe.skipIf(program === undefined)('a local store before the gateway of a Kubo', () => {
  let folder: string
  let kubo: KuboNode
  let rpc: KuboRPCClient
  let backend: LocalBackend
  /** What was asked of Kubo, by way of a proxy that only counts. */
  let asked: string[]
  let proxy: ReturnType<typeof createServer>

  beforeAll(async () => {
    kubo = await startKubo(program!)
    rpc = create({ url: kubo.url })
    proxy = createServer(({ url = '', headers }, response) => {
      asked.push(url)
      request(`${kubo.gateway}${url}`, { headers: { accept: headers.accept! } }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      }).end()
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wayleave-interop-'))
    asked = []
    const gateways = [`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`]
    backend = await createLocalBackend({ dir: folder, gateways })
  })
  afterEach(async () => {
    await backend?.close()
    await rm(folder, { recursive: true, force: true })
  })
  afterAll(async () => {
    proxy?.closeAllConnections()
    proxy?.close()
    await kubo?.[Symbol.asyncDispose]()
  })

  const { signal } = new AbortController()
  const read = async (cid: Cid, offset = 0n, length?: bigint): Promise<Buffer> =>
    Buffer.concat(await all((await backend.cat({ cid, segments: [] }, { offset, length }, { signal })).bytes))

  const bytes = content(9_000_000)
  it.each([
    ['balanced', { chunker: 'size-10000' }],
    ['raw leaves', { rawLeaves: true, cidVersion: 1 }],
    ['trickle', { chunker: 'size-20000', trickle: true }],
    ['rabin', { chunker: 'rabin-2048-8192-32768', cidVersion: 1 }],
  ] as const)('reads a file in one request: %s', async (_, options) => {
    const { cid } = await rpc.add(bytes, options)
    expect((await read(cid as never)).equals(bytes)).toBe(true)
    expect(asked).toEqual([`/ipfs/${cid}?format=car&dag-scope=entity`])
    asked.length = 0
    expect((await read(cid as never)).equals(bytes)).toBe(true)
    expect(asked).toEqual([])
  })

  it('reads a file that repeats itself in one request', async () => {
    const same = Buffer.alloc(5_000_000)
    const { cid } = await rpc.add(same, { chunker: 'size-5000' })
    expect((await read(cid as never)).equals(same)).toBe(true)
    expect(asked.length).toBe(1)
  })

  it('reads some bytes of a file in one request', async () => {
    const { cid } = await rpc.add(bytes, { chunker: 'size-1000' })
    for (const [from, length] of [
      [0n, 10n],
      [4_500_500n, 20_000n],
      [8_999_000n, undefined],
    ] as const) {
      await backend.collect(async function* () {}, { signal })
      asked.length = 0
      const to = length === undefined ? undefined : Number(from + length)
      expect((await read(cid as never, from, length)).equals(bytes.subarray(Number(from), to))).toBe(true)
      expect(asked).toEqual([
        `/ipfs/${cid}?format=car&dag-scope=entity&entity-bytes=${from}:${to === undefined ? '*' : to - 1}`,
      ])
    }
    await backend.collect(async function* () {}, { signal })
    expect((await read(cid as never, 10_000_000n)).length).toBe(0)
  })

  it('pins, archives and exports a tree in one request each', async () => {
    const files = Array.from({ length: 60 }, (_, at) => ({ path: `d/${at % 7}/${at}`, content: content(3_000, at) }))
    const added = await all(rpc.addAll(files, { shardSplitThreshold: '500B', chunker: 'size-1000' } as object))
    const { cid } = added.at(-1)!
    const exported = Buffer.concat(await all(rpc.dag.export(cid)))
    for (const run of [
      () => all(backend.hold(cid as never, { recursive: true }, { signal })),
      async () => all(await backend.get({ cid: cid as never, segments: [] }, 'd', { signal })),
      async () => all(await backend.exportCar(cid as never, { signal })),
    ]) {
      await backend.collect(async function* () {}, { signal })
      asked.length = 0
      await run()
      expect(asked).toEqual([`/ipfs/${cid}?format=car&dag-scope=all`])
      const ours = Buffer.concat(await all<Uint8Array>(await backend.exportCar(cid as never, { signal })))
      expect(ours.equals(exported)).toBe(true)
    }
  })

  it('pins a DAG of dag-cbor that shares its leaves in one request', async () => {
    const leaves = await Promise.all([1, 2, 3].map((leaf) => rpc.dag.put({ leaf })))
    const inner = await rpc.dag.put({ leaves, again: leaves })
    const cid = await rpc.dag.put({ inner, leaves: leaves.toReversed() })
    const steps = await all(backend.hold(cid as never, { recursive: true }, { signal }))
    expect(steps.at(-1)).toMatchObject({ blocks: 5, whole: true })
    expect(asked.length).toBe(1)
  })

  it('says what Kubo does not have', async () => {
    const { cid } = await rpc.add('nobody keeps this', { onlyHash: true })
    await expect(read(cid as never)).rejects.toMatchObject({ code: 'not_found' })
    // An archive without blocks, and then the block.
    expect(asked.length).toBe(2)
  })

  it('completes what Kubo lacks a block of as far as it can', async () => {
    const { cid } = await rpc.add(bytes, { chunker: 'size-100000', rawLeaves: true, pin: false })
    const links = await all(rpc.refs(cid))
    const { ref } = links[50]!
    await all(rpc.block.rm([CID.parse(ref)] as never))
    await expect(read(cid as never)).rejects.toMatchObject({
      code: expect.stringMatching(/^(http_status|not_found|timeout)$/),
    })
    await rpc.block.put(bytes.subarray(5_000_000, 5_100_000), { format: 'raw' })
    expect((await read(cid as never)).equals(bytes)).toBe(true)
  })
})
