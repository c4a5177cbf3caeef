import type { ServerResponse } from 'node:http'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsClient, type VerifyMode } from '../../src/index.ts'
import { type FakeClock, fakeClock } from '../fake-clock.ts'
import { allOf, type Call, header, readParts, refuse, sectionOf, startTestHost, type TestHost } from './test-host.ts'

const bytes = Buffer.alloc(700_000, 'some content of more than one block ')
const lying = ['dag/export', 'block/get', 'cat']

type Reading = (client: IpfsClient, cid: string) => Promise<unknown>

const readings: readonly (readonly [string, VerifyMode, string, Reading])[] = [
  ['cat by dag/export', 'consistent', 'dag/export', (client, cid) => client.cat(cid).bytes()],
  ['cat by block/get', 'consistent', 'block/get', (client, cid) => client.cat(cid, { offset: 1 }).bytes()],
  ['cat, unverified', 'off', 'cat', (client, cid) => client.cat(cid).bytes()],
  ['get by dag/export', 'consistent', 'dag/export', getAll],
  ['block.get', 'consistent', 'block/get', (client, cid) => client.block.get(cid)],
]

async function getAll(client: IpfsClient, cid: string): Promise<void> {
  for await (const { content } of client.get(cid)) for await (const chunk of content) void chunk
}

/** A host that holds `bytes`, and then answers the named call by `lie`. */
async function hostile(
  verify: VerifyMode,
  lieAbout: string,
  lie: (call: Call, honest: Buffer) => void,
): Promise<{ cid: string; client: IpfsClient; clock: FakeClock } & AsyncDisposable> {
  const answers: Buffer[] = []
  const host = await startTestHost((call) => {
    const [honest] = answers
    if (honest === undefined) return false
    if (call.path === lieAbout) lie(call, honest)
    else return lying.includes(call.path) && refuse(call.response, 500, 'not now')
    return true
  })
  const clock = fakeClock()
  const client = createIpfsClient({ url: host.url, verify, clock })
  const { cid } = await createIpfsClient({ url: host.url }).add(bytes)
  const arg = `${host.url}/api/v0/${lieAbout}?arg=${cid}`
  answers.push(Buffer.from(await (await fetch(arg, { method: 'POST' })).arrayBuffer()))
  return { cid, client, clock, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() }
}

describe('a hostile host, 4 of 4', () => {
  // Wrong bytes of an unverified cat cannot be told; all else is.
  it.each(readings.filter(([, verify]) => verify !== 'off'))('1. wrong bytes: %s', async (_, verify, call, read) => {
    await using peer = await hostile(verify, call, ({ response }, honest) => {
      const wrong = Buffer.from(honest)
      wrong[wrong.length >> 1]! ^= 1
      response.end(wrong)
    })
    const { cid, client } = peer
    await expect(read(client, cid)).rejects.toMatchObject({ code: 'mismatch' })
  })

  describe.each([
    [
      'the connection breaks',
      (response: ServerResponse, half: Buffer) => void response.write(half, () => response.destroy()),
    ],
    [
      'it announced more (Content-Length)',
      (response: ServerResponse, half: Buffer) => {
        response.setHeader('content-length', half.byteLength * 2)
        response.write(half, () => response.destroy())
      },
    ],
    [
      'it announced more (X-Content-Length)',
      (response: ServerResponse, half: Buffer) =>
        void response.setHeader('x-content-length', half.byteLength * 2).end(half),
    ],
  ])('2. truncation: %s', (_how, cut) => {
    it.each(readings)('%s', async (_, verify, call, read) => {
      await using peer = await hostile(verify, call, ({ response }, honest) => {
        cut(response, honest.subarray(0, honest.length >> 1))
      })
      const { cid, client } = peer
      await expect(read(client, cid)).rejects.toMatchObject({ code: 'truncated' })
    })
  })

  it.each(readings)('3. silence in the middle of a body: %s', async (_, verify, call, read) => {
    await using peer = await hostile(verify, call, ({ response }, honest) => {
      // Time passes once the client has the head and a part.
      response.write(honest.subarray(0, honest.length >> 1), () => setImmediate(() => clock.runOut()))
    })
    const { cid, client, clock } = peer
    await expect(read(client, cid)).rejects.toMatchObject({ code: 'timeout' })
  })

  it.each(readings)('3. silence before the first byte: %s', async (_, verify, call, read) => {
    await using peer = await hostile(verify, call, () => clock.runOut())
    const { cid, client, clock } = peer
    await expect(read(client, cid)).rejects.toMatchObject({ code: 'timeout' })
  })

  it.each(readings.slice(0, 4))('4. an error in the trailer, which fetch hides: %s', async (_, verify, call, read) => {
    await using peer = await hostile(verify, call, ({ path, response }, honest) => {
      // As Kubo does: what cat sends has its length announced, an archive has not.
      if (path === 'cat') response.setHeader('x-content-length', honest.byteLength)
      response.setHeader('trailer', 'X-Stream-Error')
      if (path === 'block/get') {
        refuse(response, 500, 'the disk is gone')
        return
      }
      response.write(path === 'cat' ? honest.subarray(0, 300_000) : archiveUpTo(honest, 2))
      response.addTrailers({ 'X-Stream-Error': 'the disk is gone' })
      response.end()
    })
    const { cid, client } = peer
    await expect(read(client, cid)).rejects.toMatchObject({
      code: call === 'block/get' ? 'http_status' : 'truncated',
    })
  })
})

/** The first sections of an archive, cut where a block ends. */
function archiveUpTo(archive: Buffer, sections: number): Buffer {
  let at = 0
  for (let frame = 0; frame <= sections; frame++) {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = archive[at++]!
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    at += length
  }
  return archive.subarray(0, at)
}

describe('a hostile host, reading', () => {
  it('sends an archive of blocks that were not asked for: each is passed, and the right ones are fetched', async () => {
    const junk = Buffer.alloc(1000, 'junk')
    const cid = CID.create(1, 0x55, await sha256.digest(junk))
    let left = 100
    await using host = await startTestHost(({ path, response }) => {
      if (path !== 'dag/export') return false
      response.write(header)
      while (left-- > 0) response.write(sectionOf(cid, Buffer.concat([junk, Buffer.from([left])])))
      response.end()
      return true
    })
    const client = createIpfsClient({ url: host.url })
    const added = await client.add(bytes)
    const read = client.cat(added.cid)
    expect(Buffer.compare(await read.bytes(), bytes)).toBe(0)
    expect(await read.verification).toBe('proven')
  })

  it('sends an archive of other blocks behind the first, and gives no single ones', async () => {
    let cid = ''
    await using host = await startTestHost(({ path, response }) => {
      if (path === 'block/get') return refuse(response, 404, '404 page not found', 'text')
      if (path !== 'dag/export') return false
      const root = CID.parse(cid)
      response.write(Buffer.concat([header, sectionOf(root, host.blocks.get(root.toV1().toString())!)]))
      // Each of a name of its own, and none that was asked for.
      for (let codec = 0x80; codec < 0x180; codec++) {
        response.write(sectionOf(CID.create(1, codec, root.multihash), Buffer.from('junk')))
      }
      response.end()
      return true
    })
    const client = createIpfsClient({ url: host.url })
    cid = (await client.add(bytes)).cid
    await expect(client.cat(cid).bytes()).rejects.toMatchObject({ code: 'invalid_response' })
  })

  it('sends a block without an end', async () => {
    await using peer = await hostile('consistent', 'block/get', ({ response }) => {
      const more = (): void =>
        void (response.destroyed || response.write(Buffer.alloc(65_536), () => setImmediate(more)))
      more()
    })
    const { cid, client } = peer
    await expect(client.block.get(cid)).rejects.toMatchObject({ code: 'too_large' })
  })

  it('claims a block of many gigabytes in an archive', async () => {
    await using peer = await hostile('consistent', 'dag/export', ({ response }) => {
      response.end(Buffer.concat([header, Buffer.from('ffffffff7f', 'hex'), Buffer.alloc(1000)]))
    })
    const { cid, client } = peer
    await expect(client.cat(cid).bytes()).rejects.toMatchObject({ code: 'too_large' })
  })

  it.each(['..', 'a/b', 'a\\b', ''])('holds a directory with the unsafe name %j', async (name) => {
    await using host = await startTestHost()
    const root = await host.store([{ path: 'd/QQQ', content: Buffer.from('x') }])
    const block = Buffer.from(host.blocks.get(CID.parse(root).toV1().toString())!)
    const at = block.indexOf('QQQ')
    const evil = Buffer.concat([
      block.subarray(0, at - 1),
      Buffer.from([name.length]),
      Buffer.from(name),
      block.subarray(at + 3),
    ])
    // The link became shorter, too.
    evil[1]! += name.length - 3
    const cid = CID.create(1, 0x70, await sha256.digest(evil))
    host.blocks.set(cid.toString(), evil)
    await expect(getAll(createIpfsClient({ url: host.url }), cid.toString())).rejects.toMatchObject({
      code: 'bad_content',
    })
  })
})

describe('a hostile host that gives no blocks', () => {
  const cid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
  const answering = (answer: Buffer | string): Promise<TestHost> =>
    startTestHost(({ path, response }) => {
      if (!['get', 'ls'].includes(path)) return refuse(response, 404, '404 page not found', 'text')
      response.end(answer)
      return true
    })

  it.each([
    [cid, cid],
    [`ipfs://${cid}/a/photo.jpg`, 'photo.jpg'],
    ['/ipns/example.com', 'example.com'],
  ])('has no say in how what get reads is called: %s', async (path, name) => {
    const member = Buffer.alloc(512)
    member.write('.bash_login')
    member.write('0', 156)
    await using host = await answering(Buffer.concat([member, Buffer.alloc(1024)]))
    expect(await allOf(createIpfsClient({ url: host.url }).get(path), (entry) => entry.path)).toEqual([name])
  })

  it.each([
    ['{"Objects":[{"Links":[null]}]}', 'invalid_response'],
    ['{"Objects":[{"Links":[{"Hash":"Qm"}]}]}', 'invalid_response'],
    ['{"Objects":[{"Links":[{"Name":"x"}]}]}', 'invalid_response'],
    ['{"Objects":[{"Links":[{"Name":"../x","Hash":"Qm"}]}]}', 'bad_content'],
    ['{"Objects":null}', 'invalid_response'],
  ])('lists %s', async (answer, code) => {
    await using host = await answering(answer)
    await expect(allOf(createIpfsClient({ url: host.url }).ls(cid))).rejects.toMatchObject({ code })
  })
})

describe('a hostile host, adding', () => {
  /** A host that reads the upload, and answers so. */
  async function answering(lines: string | ((response: ServerResponse) => void)): Promise<TestHost> {
    return startTestHost(async ({ path, request, response }) => {
      if (path !== 'add') return false
      await readParts(request)
      if (typeof lines === 'string') response.end(lines)
      else lines(response)
      return true
    })
  }
  const other = '{"Name":"x","Hash":"Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD","Size":"19"}\n'
  const x = { path: 'x', content: 'something else' }

  it.each([
    ['another CID', other, 'mismatch'],
    ['nothing', '', 'truncated'],
    ['a part of a line', other.slice(0, 40), 'truncated'],
    ['an error in a line', '{"Message":"the disk is gone","Code":0,"Type":"error"}\n', 'stream_error'],
    ['HTML', '<html></html>\n', 'invalid_response'],
    ['numbers', '1\n', 'invalid_response'],
    ['no hash', '{"Name":"x"}\n', 'truncated'],
    ['a hash that is none', '{"Name":"x","Hash":"x","Size":"1"}\n', 'invalid_response'],
    ['no size', '{"Name":"x","Hash":"Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"}\n', 'invalid_response'],
    ['more than was sent', other.repeat(20_000), 'mismatch'],
    ['progress without an end', '{"Name":"x","Bytes":1}\n'.repeat(20_000), 'invalid_response'],
    ['a line without an end', 'x'.repeat(2_000_000), 'too_large'],
  ])('answers %s', async (_, lines, code) => {
    await using host = await answering(lines)
    await expect(createIpfsClient({ url: host.url }).add(x)).rejects.toMatchObject({ code })
  })

  it('ends before it told of all, with an error in the trailer, and nothing is verified', async () => {
    await using host = await answering((response) => {
      response.writeHead(200, { trailer: 'X-Stream-Error' })
      response.write(other)
      response.addTrailers({ 'X-Stream-Error': 'the disk is gone' })
      response.end()
    })
    const client = createIpfsClient({ url: host.url, verify: 'off' })
    const adding = allOf(client.addAll([x, { path: 'y', content: 'y' }]))
    await expect(adding).rejects.toMatchObject({ code: 'truncated' })
  })

  it('breaks the connection in its answer', async () => {
    await using host = await answering((response) => void response.write(other, () => response.destroy()))
    const client = createIpfsClient({ url: host.url, verify: 'off' })
    await expect(client.add(x)).rejects.toMatchObject({ code: 'truncated' })
  })

  it('stops to read the upload', async () => {
    const clock = fakeClock()
    await using host = await startTestHost(({ request }) => {
      request.pause()
      return true
    })
    const pieces = (function* (): Generator<Uint8Array> {
      for (;;) yield new Uint8Array(1 << 20)
    })()
    let sent = 0
    const adding = createIpfsClient({ url: host.url, clock, verify: 'off', maxRequestBytes: Infinity }).add(pieces, {
      onProgress(progress) {
        sent = progress
        // When nothing more is taken, so does time.
        queueMicrotask(() => setImmediate(() => setImmediate(() => sent === progress && clock.runOut())))
      },
    })
    await expect(adding).rejects.toMatchObject({ code: 'timeout' })
    expect(sent).toBeLessThan(64 << 20)
  })

  it.each(['consistent', 'off'] as const)('answers 200 before it has read the upload: verify %s', async (verify) => {
    const clock = fakeClock()
    await using host = await startTestHost(({ request, response }) => {
      request.pause()
      response.write(other)
      if (verify === 'off') response.end()
      return true
    })
    const pieces = (function* (): Generator<Uint8Array> {
      for (let i = 0; i < 64; i++) yield new Uint8Array(1 << 20)
    })()
    let sent = 0
    const adding = createIpfsClient({ url: host.url, clock, verify, maxRequestBytes: Infinity }).add(
      { path: 'x', content: pieces },
      {
        onProgress(progress) {
          sent = progress
          setImmediate(() => setImmediate(() => setImmediate(() => sent === progress && clock.runOut())))
        },
      },
    )
    await expect(adding).rejects.toSatisfy(({ code }) => ['truncated', 'timeout'].includes(code))
    expect(sent).toBeLessThan(64 << 20)
  })

  it('refuses before it has read the upload', async () => {
    await using host = await startTestHost(({ response }) => refuse(response, 413, 'payload too large', 'text'))
    const pieces = (function* (): Generator<Uint8Array> {
      for (let i = 0; i < 64; i++) yield new Uint8Array(1 << 20)
    })()
    // Whether the answer arrives before the connection breaks is up to the system.
    await expect(createIpfsClient({ url: host.url, maxRequestBytes: Infinity }).add(pieces)).rejects.toSatisfy(
      ({ code, status }) => code === 'connect' || (code === 'http_status' && status === 413),
    )
  })
})
