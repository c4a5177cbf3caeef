// A real IPFS Cluster over a real Kubo: a gateway whose content lives there, asked by our client and by a stranger's.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningGateway, startGateway } from '@wayleave/gateway'
import { createIpfsClient, type IpfsClient } from '@wayleave/ipfs-http'
import { create } from 'kubo-rpc-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareDirectory, compareFile, vectors } from '../test/support/ipfs-vectors.ts'
import { type IpfsCluster, startIpfsCluster } from './support/ipfs-cluster.ts'
import { type KuboNode, startKubo } from './support/kubo-node.ts'

const { KUBO: kuboProgram, IPFS_CLUSTER: program } = process.env
const missing = Object.entries({ KUBO: kuboProgram, IPFS_CLUSTER: program }).filter(([, path]) => path === undefined)
const named = missing.map(([name]) => name).join(' and ')

describe.skipIf(missing.length > 0)(`IPFS Cluster${named && ` (skipped: ${named} says nothing)`}`, () => {
  let folder: string
  let kubo: KuboNode
  let cluster: IpfsCluster
  let gateway: RunningGateway
  let one: IpfsClient
  let two: IpfsClient

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wayleave-interop-'))
    kubo = await startKubo(kuboProgram!)
    cluster = await startIpfsCluster(program!, kubo.url)
    gateway = await startGateway({
      dataDir: folder,
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
      ipfs: { backend: 'kubo', url: cluster.url },
      projects: ['one', 'two'].map((name) => ({ name, keys: [{ key: `${name}-key`, secret: 'secret' }] })),
    })
    const clientOf = (name: string): IpfsClient =>
      createIpfsClient({ url: gateway.ipfs!, apiKey: `${name}-key`, apiKeySecret: 'secret' })
    ;[one, two] = [clientOf('one'), clientOf('two')]
  })
  afterAll(async () => {
    await gateway?.close()
    await cluster?.[Symbol.asyncDispose]()
    await kubo?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const headers = { authorization: `Basic ${btoa('one-key:secret')}` }

  async function ask(path: string, body?: FormData): Promise<readonly [number, string]> {
    const response = await fetch(`${gateway.ipfs}/api/v0/${path}`, { method: 'POST', headers, ...(body && { body }) })
    return [response.status, await response.text()]
  }

  function fileOf(content: BlobPart): FormData {
    const form = new FormData()
    form.set('file', new Blob([content]), 'file')
    return form
  }

  /** The Cluster hears first and tells its Kubo then. */
  async function untilKubo(cid: string, isPinned: boolean): Promise<void> {
    for (;;) {
      const found = await fetch(`${kubo.url}/api/v0/pin/ls?arg=${cid}&type=recursive`, { method: 'POST' })
      await found.text()
      if (found.ok === isPinned) return
    }
  }

  // What a Cluster refuses is tested below.
  const adds = vectors.files.filter(({ query }) => !('inline' in query))

  it.each(adds)('gives a file its CID, and its bytes back: $name', async (vector) => {
    const { told, expected, isSame } = await compareFile({ url: gateway.ipfs!, headers }, vector)
    expect(told).toEqual(expected)
    expect(isSame).toBe(true)
  })

  it.each(vectors.directories)('gives a directory its CIDs: $name', async (vector) => {
    const { told, expected } = await compareDirectory({ url: gateway.ipfs!, headers }, vector)
    expect(told).toEqual(expected)
  })

  it('pins content as long as one of two projects pins it', async () => {
    const { cid } = await one.add('both of us')
    expect(await cluster.pins()).toMatchObject({ [cid]: 'recursive' })
    await two.pin.add(cid)
    await one.pin.rm(cid)
    expect(await cluster.pins()).toHaveProperty(cid)
    await two.pin.rm(cid)
    expect(await cluster.pins()).not.toHaveProperty(cid)
    await untilKubo(cid, false)
    await expect(two.pin.rm(cid)).rejects.toMatchObject({ code: 'not_pinned' })
  })

  it('pins every root of an upload, and the directory that wraps them', async () => {
    const cids: string[] = []
    for await (const { cid, path } of one.addAll([
      { path: 'd/b.txt', content: 'b' },
      { path: 'a.txt', content: 'a' },
    ])) {
      if (!path.includes('/')) cids.push(cid)
    }
    expect(Object.keys(await cluster.pins())).toEqual(expect.arrayContaining(cids))
    const { cid } = await one.add('wrapped', { wrapWithDirectory: true })
    expect(await cluster.pins()).toMatchObject({ [cid]: 'recursive' })
  })

  it('replaces a pin, and tells the pins of a project alone', async () => {
    const [from, to] = [(await one.add('from')).cid, (await two.add('to')).cid]
    await one.pin.update(from, to)
    const pins = await cluster.pins()
    expect(pins).not.toHaveProperty(from)
    expect(pins).toHaveProperty(to)
    const pinned: string[] = []
    for await (const pin of two.pin.ls()) pinned.push(pin.cid)
    expect(pinned).toContain(to)
    expect(pinned).not.toContain(from)
  })

  it('pins one block, then all below it', async () => {
    const { cid } = await two.add(new Uint8Array(600_000), { pin: false })
    await one.pin.add(cid, { recursive: false })
    expect(await cluster.pins()).toMatchObject({ [cid]: 'direct' })
    await one.pin.add(cid)
    expect(await cluster.pins()).toMatchObject({ [cid]: 'recursive' })
    await two.pin.add(cid, { recursive: false })
    await one.pin.rm(cid)
    expect(await cluster.pins()).toHaveProperty(cid)
    await two.pin.rm(cid)
    expect(await cluster.pins()).not.toHaveProperty(cid)
  })

  it('keeps blocks and values, verified, and pins them where asked to', async () => {
    const bytes = new Uint8Array(3_000_000).map((_, i) => i * 7)
    const { cid, verification } = await one.add(bytes, { cidVersion: 1 })
    expect(verification).toBe('proven')
    const read = one.cat(cid)
    expect(Buffer.from(await read.bytes()).equals(Buffer.from(bytes))).toBe(true)
    expect(await read.verification).toBe('proven')
    const [, put] = await ask('block/put?pin=true', fileOf('a block'))
    const { Key: key } = JSON.parse(put) as { readonly Key: string }
    expect(Buffer.from(await one.block.get(key)).toString()).toBe('a block')
    const value = await one.dag.put({ hello: 'world' })
    expect(await one.dag.get(value)).toEqual({ hello: 'world' })
    expect(await cluster.pins()).toMatchObject({ [cid]: 'recursive', [key]: 'recursive' })
  })

  it('imports a CAR whose root is pinned in the Cluster, and forgets it with its pin', async () => {
    const { cid } = await one.add('in a car', { pin: false })
    const exported = await fetch(`${gateway.ipfs}/api/v0/dag/export?arg=${cid}`, { method: 'POST', headers })
    const car = await exported.arrayBuffer()
    const [status] = await ask('dag/import?stats=true', fileOf(car))
    expect(status).toBe(200)
    expect(await cluster.pins()).toMatchObject({ [cid]: 'recursive' })
    await untilKubo(cid, true)
    await one.pin.rm(cid)
    expect(await cluster.pins()).not.toHaveProperty(cid)
    await untilKubo(cid, false)
    expect((await ask('dag/import?pin-roots=false', fileOf(car)))[0]).toBe(200)
    expect(await cluster.pins()).not.toHaveProperty(cid)
    await untilKubo(cid, false)
  })

  it('takes an empty file in raw leaves, whose size a Cluster leaves out', async () => {
    const empty = fileOf('')
    expect(await ask('add?cid-version=1', empty)).toEqual([
      200,
      '{"Name":"file","Hash":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku","Size":"0"}\n',
    ])
  })

  it('names a file without a name that is wrapped as Kubo does', async () => {
    const body =
      '--b\r\nContent-Disposition: form-data; name="file"; filename=""\r\n' +
      'Content-Type: application/octet-stream\r\n\r\nnameless\r\n--b--\r\n'
    const asked = { method: 'POST', body, headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' } }
    const told = async (url: string): Promise<string> =>
      await (await fetch(`${url}/api/v0/add?wrap-with-directory=true&pin=false`, asked)).text()
    expect(await told(gateway.ipfs!)).toBe(await told(kubo.url))
  })

  it.each(['only-hash=true', 'inline=true', 'mode=0644', 'mtime=1'])(
    'refuses an upload with %s, of which a Cluster would make something else',
    async (option) => {
      const before = await cluster.pins()
      const [status, text] = await ask(`add?${option}`, fileOf(`with ${option}`))
      expect([status, text]).toEqual([500, expect.stringContaining('an IPFS Cluster adds without')])
      expect(await cluster.pins()).toEqual(before)
    },
  )

  it('refuses a directory after another entry, into which a Cluster would put that as well', async () => {
    const entries = [
      { path: 'a.txt', content: 'a' },
      { path: 'd/b.txt', content: 'b' },
    ]
    const told = async (wrapWithDirectory: boolean): Promise<string[]> => {
      const paths: string[] = []
      for await (const { path } of one.addAll(entries, { wrapWithDirectory })) paths.push(path)
      return paths
    }
    await expect(told(false)).rejects.toThrow('an IPFS Cluster adds no directory after another entry')
    expect(await told(true)).toEqual(['a.txt', 'd/b.txt', 'd', ''])
  })

  it("tells a hash that it does not know by an error in the Cluster's trailer", async () => {
    const client = create({ url: gateway.ipfs!, headers })
    await expect(client.add('x', { hashAlg: 'nonsense' as never })).rejects.toThrow('hash')
  })

  it('leaves no pin of an upload that broke off', async () => {
    const before = await cluster.pins()
    const left = new Error('the caller left')
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(600_000)
      throw left
    }
    await expect(one.add(broken())).rejects.toBe(left)
    await gateway.close()
    expect(await cluster.pins()).toEqual(before)
  })
})
