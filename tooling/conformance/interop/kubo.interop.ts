// A real Kubo: what the vectors say of it, a gateway whose content lives there, and our client before it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningGateway, startGateway } from '@wayleave/gateway'
import { createIpfsClient } from '@wayleave/ipfs-http'
import { create } from 'kubo-rpc-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareDirectory, compareFile, type IpfsHost, vectors } from '../test/support/ipfs-vectors.ts'
import { type KuboNode, startKubo } from './support/kubo-node.ts'

const program = process.env['KUBO']

describe.skipIf(program === undefined)('Kubo', () => {
  let folder: string
  let kubo: KuboNode
  let gateway: RunningGateway

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wayleave-interop-'))
    kubo = await startKubo(program!)
    gateway = await startGateway({
      dataDir: folder,
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
      ipfs: { backend: 'kubo', url: kubo.url },
      projects: ['one', 'two'].map((name) => ({ name, keys: [{ key: `${name}-key`, secret: 'secret' }] })),
    })
  })
  afterAll(async () => {
    await gateway?.close()
    await kubo?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const hosts: readonly (readonly [string, () => IpfsHost])[] = [
    ['itself', () => ({ url: kubo.url, headers: {} })],
    ['behind a gateway', () => ({ url: gateway.ipfs!, headers: { authorization: `Basic ${btoa('one-key:secret')}` } })],
  ]

  describe.each(hosts)('%s', (_name, host) => {
    it.each(vectors.files)('gives a file its CID, and its bytes back: $name', async (vector) => {
      const { reported, expected, isSame } = await compareFile(host(), vector)
      expect(reported).toEqual(expected)
      expect(isSame).toBe(true)
    })

    it.each(vectors.directories)('gives a directory its CIDs: $name', async (vector) => {
      const { reported, expected } = await compareDirectory(host(), vector)
      expect(reported).toEqual(expected)
    })
  })

  it('keeps content as long as one of two projects pins it', async () => {
    const [one, two] = ['one', 'two'].map((name) =>
      createIpfsClient({ url: gateway.ipfs!, apiKey: `${name}-key`, apiKeySecret: 'secret' }),
    ) as [ReturnType<typeof createIpfsClient>, ReturnType<typeof createIpfsClient>]
    const direct = create({ url: kubo.url })
    const { cid } = await one.add('both of us')
    await two.pin.add(cid)
    await one.pin.rm(cid)
    const pinned = async (): Promise<readonly string[]> => {
      const found: string[] = []
      for await (const pin of direct.pin.ls({ type: 'recursive' })) found.push(String(pin.cid))
      return found
    }
    expect(await pinned()).toContain(cid)
    await two.pin.rm(cid)
    expect(await pinned()).not.toContain(cid)
  })

  it.each(hosts)('%s: our client adds, verifies what it reads, and pins', async (name, host) => {
    const { url } = host()
    const client = createIpfsClient(name === 'itself' ? { url } : { url, apiKey: 'one-key', apiKeySecret: 'secret' })
    const bytes = new Uint8Array(3_000_000).map((_, i) => i * 7)
    const { cid, verification } = await client.add(bytes, { cidVersion: 1 })
    expect(verification).toBe('proven')
    const read = client.cat(cid)
    expect(Buffer.from(await read.bytes()).equals(Buffer.from(bytes))).toBe(true)
    expect(await read.verification).toBe('proven')
    const part = client.cat(cid, { offset: 999_999, length: 10 })
    expect(await part.bytes()).toEqual(bytes.subarray(999_999, 1_000_009))
    const pins: string[] = []
    for await (const pin of client.pin.ls()) pins.push(pin.cid)
    expect(pins).toContain(cid)
  })

  it("a stranger's client does the same through the gateway", async () => {
    const client = create({ url: gateway.ipfs!, headers: { authorization: `Basic ${btoa('two-key:secret')}` } })
    const { cid } = await client.add('by kubo-rpc-client', { cidVersion: 1, rawLeaves: true })
    const chunks: Uint8Array[] = []
    for await (const chunk of client.cat(cid, { offset: 3 })) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe('kubo-rpc-client')
    await client.pin.rm(cid)
  })

  it('answers what is wrong in its own words', async () => {
    const headers = { authorization: `Basic ${btoa('one-key:secret')}` }
    const ask = async (url: string, path: string): Promise<readonly [number, string]> => {
      const response = await fetch(`${url}/api/v0/${path}`, { method: 'POST', headers })
      return [response.status, await response.text()]
    }
    const missing = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
    for (const path of ['cat', `cat?arg=${missing}`, `pin/rm?arg=${missing}`, 'add', 'nowhere']) {
      expect([path, await ask(gateway.ipfs!, path)]).toEqual([path, await ask(kubo.url, path)])
    }
  })
})
