// A real Kubo that others pin in as well, that dies in the middle of calls, and a gateway that ended before it had stored a pin.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { createIpfsClient, type IpfsClient } from '@wayleave/ipfs-http'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type KuboNode, startKubo } from './support/kubo-node.ts'

const program = process.env['KUBO']

type Pins = Readonly<Record<string, { readonly Type: string; readonly Name: string }>>

describe.skipIf(program === undefined)('Kubo and its pins', () => {
  let kubo: KuboNode

  beforeEach(async () => {
    kubo = await startKubo(program!)
    onTestFinished(() => kubo[Symbol.asyncDispose]())
  })

  async function startOne(): Promise<{ readonly gateway: RunningGateway; readonly clients: readonly IpfsClient[] }> {
    const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-interop-'))
    const names = ['one', 'two']
    const gateway = await startGateway(
      {
        dataDir,
        listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
        networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
        ipfs: { backend: 'kubo', url: kubo.url },
        projects: names.map((name) => ({ name, keys: [{ key: `${name}-key`, secret: 'secret' }] })),
      },
      { log: createLog({ level: 'silent' }) },
    )
    onTestFinished(async () => {
      await gateway.close(0)
      await rm(dataDir, { recursive: true, force: true })
    })
    const clients = names.map((name) =>
      createIpfsClient({ url: gateway.ipfs!, apiKey: `${name}-key`, apiKeySecret: 'secret' }),
    )
    return { gateway, clients }
  }

  async function ask(path: string, body?: FormData): Promise<Record<string, unknown>> {
    const response = await fetch(`${kubo.url}/api/v0/${path}`, { method: 'POST', ...(body && { body }) })
    return JSON.parse((await response.text()).split('\n')[0]!) as Record<string, unknown>
  }

  /** Type and name of each pin, as Kubo tells them, by CID. */
  async function pins(): Promise<Pins> {
    const [all, direct] = [await ask('pin/ls?type=recursive&names=true'), await ask('pin/ls?type=direct&names=true')]
    // Kubo itself pins an empty directory.
    const { QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn: _, ...keys } = {
      ...(all['Keys'] as object),
      ...(direct['Keys'] as object),
    } as Pins
    return keys
  }

  function fileOf(content: BlobPart): FormData {
    const form = new FormData()
    form.set('file', new Blob([content]), 'file')
    return form
  }

  async function listed(client: IpfsClient): Promise<string[]> {
    const found: string[] = []
    for await (const { cid } of client.pin.ls()) found.push(cid)
    return found
  }

  it.each(['', 'theirs'])(
    'a pin of others with the name %j survives whatever a project does with its content',
    async (name) => {
      const query = name === '' ? '' : `&pin-name=${name}`
      const { Hash: cid } = (await ask(`add?cid-version=0${query}`, fileOf('of others'))) as { Hash: string }
      const { gateway, clients } = await startOne()
      const [one, two] = clients as [IpfsClient, IpfsClient]
      const before = await pins()
      expect(before[cid]).toEqual({ Type: 'recursive', Name: name })
      expect((await one.add('of others')).cid).toBe(cid)
      await two.pin.add(cid)
      await one.pin.rm(cid)
      await two.pin.rm(cid)
      expect(await pins()).toEqual(before)
      const headers = { authorization: `Basic ${btoa('one-key:secret')}` }
      const asked = { method: 'POST', headers }
      const car = await (await fetch(`${gateway.ipfs}/api/v0/dag/export?arg=${cid}`, asked)).arrayBuffer()
      await (await fetch(`${gateway.ipfs}/api/v0/dag/import`, { ...asked, body: fileOf(car) })).text()
      expect(await listed(one)).toEqual([cid])
      await one.pin.rm(cid)
      expect(await pins()).toEqual(before)
    },
  )

  it('a pin that others add while the gateway runs survives a project that pins and unpins the same', async () => {
    const [one] = (await startOne()).clients as [IpfsClient]
    const ours = (await one.add('ours')).cid
    expect((await pins())[ours]).toEqual({ Type: 'recursive', Name: 'wayleave' })
    const { Hash: cid } = (await ask('add?pin=true&pin-name=late', fileOf('late'))) as { Hash: string }
    await one.pin.add(cid)
    await one.pin.rm(cid)
    expect((await pins())[cid]).toEqual({ Type: 'recursive', Name: 'late' })
    await one.pin.rm(ours)
    expect(Object.keys(await pins())).toEqual([cid])
  })

  it('a single block that others pin stays pinned where a project pins all below it', async () => {
    const { Hash: cid } = (await ask('add?pin=false', fileOf(Buffer.alloc(600_000)))) as { Hash: string }
    await ask(`pin/add?arg=${cid}&recursive=false&name=block`)
    const [one] = (await startOne()).clients as [IpfsClient]
    await one.pin.add(cid)
    expect((await pins())[cid]).toEqual({ Type: 'recursive', Name: 'block' })
    await one.pin.rm(cid)
    expect(await pins()).toHaveProperty(cid)
  })

  it('what two projects pin and unpin at the same moments is pinned exactly as long as one of them has it', async () => {
    const clients = (await startOne()).clients as [IpfsClient, IpfsClient]
    const { cid } = await clients[0].add('contested', { pin: false })
    for (let round = 0; round < 25; round++) {
      const work = clients.flatMap((client) => [
        client.pin.add(cid),
        client.pin.rm(cid),
        client.add('contested'),
        client.pin.rm(cid),
      ])
      for (const { reason } of (await Promise.allSettled(work)) as { readonly reason?: { readonly code: string } }[]) {
        expect([undefined, 'not_pinned']).toContain(reason?.code)
      }
      const holders = await Promise.all(clients.map((client) => listed(client)))
      expect([round, cid in (await pins())]).toEqual([round, holders.flat().length > 0])
    }
  })

  it('a gateway that ended between an upload and its pin leaves what the next one takes over', async () => {
    // What Kubo has done by then for a gateway that is gone.
    const { Hash: cid } = (await ask('add?pin=true&pin-name=wayleave', fileOf('orphan'))) as { Hash: string }
    const [one] = (await startOne()).clients as [IpfsClient]
    expect(await listed(one)).toEqual([])
    expect((await one.add('orphan')).cid).toBe(cid)
    await one.pin.rm(cid)
    expect(await pins()).toEqual({})
  })

  it('a Kubo that dies in the middle of an upload leaves no pin, and the caller hears of it', async () => {
    const [one] = (await startOne()).clients as [IpfsClient]
    async function* content(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(3_000_000)
      await kubo.kill()
      for (let i = 0; i < 100; i++) yield new Uint8Array(1_000_000)
    }
    await expect(one.add(content())).rejects.toThrow('IPFS node')
    expect(await listed(one)).toEqual([])
    await expect(one.add('afterwards')).rejects.toThrow('the IPFS node cannot be reached')
    await expect(one.pin.add('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')).rejects.toThrow('cannot be reached')
    expect(await listed(one)).toEqual([])
  })

  it('a Kubo that dies in the middle of a download is told, and its pins stay those of the project', async () => {
    const [one] = (await startOne()).clients as [IpfsClient]
    const { cid } = await one.add(new Uint8Array(30_000_000))
    let bytes = 0
    const reading = (async () => {
      for await (const chunk of one.cat(cid, { verify: 'off' })) {
        if (bytes === 0) await kubo.kill()
        bytes += chunk.byteLength
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/truncated|stream_error/) })
    expect(bytes).toBeLessThan(30_000_000)
    expect(await listed(one)).toEqual([cid])
    // The caller can ask again when it is back.
    await expect(one.pin.rm(cid)).rejects.toThrow('the IPFS node cannot be reached')
    expect(await listed(one)).toEqual([cid])
  })

  it('a Kubo that dies in the middle of a pin leaves a pin only where it was acknowledged', async () => {
    const [one] = (await startOne()).clients as [IpfsClient]
    const { Hash: cid } = (await ask('add?pin=false&chunker=size-1024', fileOf(Buffer.alloc(2_000_000, 'x')))) as {
      Hash: string
    }
    const pinning = one.pin.add(cid)
    pinning.catch(() => {})
    await kubo.kill()
    await Promise.allSettled([pinning])
    const rows = await listed(one)
    const isPinned = await pinning.then(
      () => true,
      () => false,
    )
    expect(rows).toEqual(isPinned ? [cid] : [])
  })
})
