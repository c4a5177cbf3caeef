import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsAddOptions, type IpfsClientOptions, type IpfsUpload } from '../../src/index.ts'
import { createLocalBackend, type LocalBackend } from '../../src/local/index.ts'
import { globSource } from '../../src/node/index.ts'
import { createIpfsHandler, createIpfsListener, createMemoryPinLedger } from '../../src/server/index.ts'
import { fakeClock } from '../fake-clock.ts'
import { allOf, readParts, refuse, startTestHost } from './test-host.ts'

// A host that takes 1 MB in one request, by the rules of our server.

const maxRequestBytes = 1_000_000
const project = { id: 'p', hasBillingCard: true, quota: {} }
let dir: string
let backend: LocalBackend
let url: string
let calls: string[] = []
/** Answers a call instead of the host. */
let twist: (path: string) => number | undefined = () => undefined

const server = createServer((request, response) => {
  const path = request.url!.replace('/api/v0/', '').replace(/\?.*/, '')
  calls.push(path)
  const status = twist(path)
  const answer = request.headers['x-unlimited'] ? unlimited : listener
  if (status === undefined) void answer(request, response, project)
  else response.writeHead(status).end('not today\n')
})
let listener: ReturnType<typeof createIpfsListener>
let unlimited: typeof listener

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ipfs-archives-'))
  backend = await createLocalBackend({ dir: join(dir, 'blocks') })
  const ledger = createMemoryPinLedger()
  listener = createIpfsListener(createIpfsHandler({ backend, ledger, maxRequestBytes }))
  unlimited = createIpfsListener(createIpfsHandler({ backend, ledger }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await backend.close()
  await rm(dir, { recursive: true })
})

beforeEach(() => {
  calls = []
  twist = () => undefined
})

const clientOf = (options: Partial<IpfsClientOptions> = {}) => createIpfsClient({ url, maxRequestBytes, ...options })
const pinsOf = async (): Promise<string[]> =>
  (await allOf(clientOf().pin.ls({ type: 'recursive' }), ({ cid, name }) => `${cid} ${name ?? ''}`.trim())).toSorted()
/** The CID that other code computes. */
const referenceOf = async (entries: Iterable<{ path: string; content: Uint8Array }>): Promise<string> => {
  await using host = await startTestHost()
  return host.store(entries)
}

describe('an upload of more bytes than a request may have', () => {
  it.each(['stream', 'buffer'] as const)('of one file has the CID of one request, and one pin: %s', async (uploads) => {
    const content = randomBytes(3_300_000)
    const before = await pinsOf()
    const seen: (number | undefined)[][] = []
    const added = await clientOf({ uploads }).add(content, {
      pinName: 'large',
      onProgress: (...progress) => seen.push(progress),
    })
    expect(added).toMatchObject({ cid: await referenceOf([{ path: '', content }]), verification: 'proven' })
    expect(await pinsOf()).toEqual([...before, `${added.cid} large`].toSorted())
    expect(calls).not.toContain('add')
    expect(seen.at(-1)).toEqual([content.length, content.length])
    expect(seen.map(([bytes]) => bytes)).toEqual(seen.map(([bytes]) => bytes).toSorted((a, b) => a! - b!))
    expect(Buffer.compare(await clientOf().cat(added.cid).bytes(), content)).toBe(0)
    await clientOf().pin.rm(added.cid)
  })

  it('of a folder of many files has the CID of one request, and tells its total from the start', async () => {
    const folder = join(dir, 'site')
    await mkdir(join(folder, 'sub'), { recursive: true })
    const files = Array.from({ length: 300 }, (_, at) => ({
      path: `${at % 2 ? 'sub/' : ''}${at}.bin`,
      content: randomBytes(5_000 + at),
    }))
    for (const { path, content } of files) await writeFile(join(folder, path), content)
    const source = globSource(folder)
    const { bytes, entries } = await source.totals()
    const seen: (number | undefined)[][] = []
    const onProgress: IpfsAddOptions['onProgress'] = (...progress) => seen.push(progress)
    const added = await allOf(clientOf().addAll(source, { wrapWithDirectory: true, onProgress }))
    expect(added).toHaveLength(entries + 1)
    const wrapped = files.map(({ path, content }) => ({ path: `all/${path}`, content }))
    expect(added.at(-1)).toMatchObject({ path: '', cid: await referenceOf(wrapped), verification: 'proven' })
    expect(seen[0]![1]).toBe(bytes)
    expect(seen.at(-1)).toEqual([bytes, bytes])
    const names = await allOf(clientOf({ verify: 'proven' }).ls(`${added.at(-1)!.cid}/sub`), ({ name }) => name)
    expect(names).toHaveLength(150)
    await clientOf().pin.rm(added.at(-1)!.cid)
  })

  it('as a stream whose size is not known has the CID of one request', async () => {
    const content = randomBytes(9 << 20)
    async function* stream(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000)
    }
    const added = await clientOf({ maxRequestBytes: 4_000_000 }).add(stream(), { pin: false }).catch(String)
    expect(added).toMatch(/HTTP 413/)
    const { cid } = await clientOf().add(stream(), { pin: false })
    expect(cid).toBe(await referenceOf([{ path: '', content }]))
  })

  it('of several roots is split between them, and only a large one is sent in archives', async () => {
    const entries = [
      { path: 'a', content: randomBytes(600_000) },
      { path: 'b', content: randomBytes(600_000) },
      { path: 'large', content: randomBytes(1_200_000) },
      { path: 'c', content: randomBytes(10) },
    ]
    const before = await pinsOf()
    const added = await allOf(clientOf().addAll(entries))
    expect(added.map(({ path }) => path)).toEqual(['a', 'b', 'large', 'c'])
    const kinds = calls.filter((call) => ['add', 'dag/import', 'pin/add'].includes(call))
    expect(kinds).toEqual(['dag/import', 'add', 'add', 'dag/import', 'dag/import', 'pin/add', 'add'])
    expect(await pinsOf()).toEqual([...before, ...added.map(({ cid }) => cid)].toSorted())
    for (const { cid } of added) await clientOf().pin.rm(cid)
  })

  it.each<readonly [string, IpfsAddOptions]>([
    ['CIDv1', { cidVersion: 1 }],
    ['trickle', { trickle: true }],
    ['another chunker', { chunker: 'buzhash' }],
    ['modes and times', { preserveMode: true, preserveMtime: true }],
  ])('keeps its options: %s', async (_, options) => {
    const entry = { path: 'd/x', content: randomBytes(1_500_000), mode: 0o640, mtime: { secs: 5n, nsecs: 7 } }
    const [file, root] = await allOf(clientOf().addAll([entry], options))
    const inOne = { headers: { 'x-unlimited': 'yes' }, maxRequestBytes: Infinity, verify: 'off' } as const
    const whole = await allOf(clientOf(inOne).addAll([entry], { ...options, onlyHash: true }))
    expect([file!.cid, root!.cid]).toEqual(whole.map(({ cid }) => cid))
    expect([file!.size, root!.size]).toEqual(whole.map(({ size }) => size))
    expect([file!.path, root!.path]).toEqual(['d/x', 'd'])
    if (options.preserveMode) expect(file).toMatchObject({ mode: 0o640, mtime: { secs: 5n, nsecs: 7 } })
    const read = clientOf().cat(`${root!.cid}/x`)
    expect(Buffer.compare(await read.bytes(), entry.content)).toBe(0)
    await clientOf().pin.rm(root!.cid)
  })

  it('that is to be hashed only sends nothing', async () => {
    const content = randomBytes(1_500_000)
    const { cid } = await clientOf().add(content, { onlyHash: true })
    expect({ cid, calls }).toEqual({ cid: await referenceOf([{ path: '', content }]), calls: [] })
  })

  it('leaves no pin where it is to be unpinned, and none where it fails in the middle', async () => {
    const before = await pinsOf()
    await clientOf().add(randomBytes(2_500_000), { pin: false })
    expect(await pinsOf()).toEqual(before)
    let imports = 0
    twist = (path) => (path === 'dag/import' && ++imports === 3 ? 502 : undefined)
    await expect(clientOf().add(randomBytes(3_500_000))).rejects.toMatchObject({ code: 'http_status', status: 502 })
    expect(await pinsOf()).toEqual(before)
  })

  it('leaves no pin where its signal comes, and none where its reader leaves', async () => {
    const before = await pinsOf()
    const controller = new AbortController()
    let imports = 0
    twist = (path) => {
      if (path === 'dag/import' && ++imports === 3) controller.abort()
      return undefined
    }
    const adding = clientOf().add(randomBytes(3_500_000), { signal: controller.signal })
    await expect(adding).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(pinsOf).toEqual(before)
    const entries = Array.from({ length: 4 }, (_, at) => ({ path: `d/${at}`, content: randomBytes(900_000) }))
    for await (const { path } of clientOf().addAll(entries)) if (path === 'd/1') break
    expect(calls).not.toContain('pin/add')
    expect(await pinsOf()).toEqual(before)
  })

  it('is not held up by a host that does not remove pins', async () => {
    const clock = fakeClock()
    await using host = await startTestHost(async ({ path, request, response }) => {
      if (path === 'pin/rm') clock.runOut()
      if (path !== 'dag/import') return path === 'pin/rm'
      const [part] = await readParts(request)
      const isFirst = part!.bytes.length < 1000
      if (isFirst) response.end('{"Stats":{}}\n')
      else refuse(response, 502, 'gone', 'text')
      return true
    })
    const adding = createIpfsClient({ url: host.url, maxRequestBytes, clock }).add(randomBytes(2_000_000))
    await expect(adding).rejects.toMatchObject({ code: 'http_status', status: 502 })
    expect(host.calls).toEqual(['dag/import', 'dag/import', 'pin/rm'])
  })
})

describe('a host that takes no archives', () => {
  const unread = (count: number, size: number): { entries: IpfsUpload[]; reads: () => number } => {
    let reads = 0
    const content = {
      *[Symbol.iterator](): Generator<Uint8Array> {
        reads++
        yield new Uint8Array(size)
      },
    }
    return {
      entries: Array.from({ length: count }, (_, at) => ({ path: `site/${at}`, content, size })),
      reads: () => reads,
    }
  }

  it.each([404, 405, 403, 501])('is sent nothing that is too large, and nothing is read: HTTP %i', async (status) => {
    twist = (path) => (path === 'dag/import' ? status : undefined)
    const { entries, reads } = unread(10_000, 20_000)
    const adding = allOf(createIpfsClient({ url }).addAll(entries))
    await expect(adding).rejects.toThrow(
      '"site" has 10,000 entries of 202.8 MB, and one request may have 100 MB; it cannot be sent in several, since the host takes no ' +
        'archives (dag/import): add its parts singly, or raise maxRequestBytes if the host takes more',
    )
    expect({ reads: reads(), calls }).toEqual({ reads: 0, calls: ['dag/import'] })
  })

  it('is asked once, and sent what may fit', async () => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url, maxRequestBytes })
    const large = { path: 'x', content: randomBytes(2_000_000) }
    await expect(client.add(large)).rejects.toMatchObject({ code: 'too_large' })
    await expect(client.add(large, { hash: 'sha2-512' })).rejects.toThrow(/only CIDs of sha2-256/)
    expect(host.calls).toEqual(['dag/import'])
    // Nobody knows whether a stream fits.
    const { cid } = await client.add([large.content], { pin: false })
    expect(cid).toBe(await referenceOf([{ path: '', content: large.content }]))
    expect(host.calls.slice(0, 2)).toEqual(['dag/import', 'add'])
  })
})

describe('a hostile host of archives', () => {
  it.each([
    ['tells no root', () => '{"Stats":{"BlockCount":5}}\n', 'truncated'],
    [
      'tells another root',
      () => '{"Root":{"Cid":{"/":"QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"}}}\n',
      'truncated',
    ],
    ['could not pin', (cid: string) => `{"Root":{"Cid":{"/":"${cid}"},"PinErrorMsg":"no room"}}\n`, 'stream_error'],
    ['tells roots without an end', () => '{"Root":{"Cid":{"/":"x"}}}\n'.repeat(2000), 'invalid_response'],
  ])('that %s is told apart', async (_, answer, code) => {
    let imports = 0
    await using host = await startTestHost(async ({ path, request, response }) => {
      if (path !== 'dag/import') return false
      const [part] = await readParts(request)
      if (imports++ === 0) response.end('{"Stats":{"BlockCount":1}}\n')
      else response.end(answer(rootOf(part!.bytes)))
      return true
    })
    const client = createIpfsClient({ url: host.url, maxRequestBytes })
    await expect(client.add(randomBytes(2_000_000))).rejects.toMatchObject({ code })
  })

  it.each([
    ['pins another CID', '{"Pins":["QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"]}\n', 'mismatch'],
    ['ends before it pinned', '{"Progress":1}\n', 'truncated'],
  ])('that %s is told apart', async (_, answer, code) => {
    let imports = 0
    await using host = await startTestHost(async ({ path, request, response }) => {
      if (path === 'pin/add') response.end(answer)
      if (path !== 'dag/import') return path === 'pin/add'
      const [part] = await readParts(request)
      const root = imports++ === 0 ? '' : `{"Root":{"Cid":{"/":"${rootOf(part!.bytes)}"},"PinErrorMsg":""}}\n`
      response.end(`${root}{"Stats":{}}\n`)
      return true
    })
    const client = createIpfsClient({ url: host.url, maxRequestBytes })
    await expect(client.add(randomBytes(2_000_000))).rejects.toMatchObject({ code })
  })

  it('that refuses a part says so, with what to lower', async () => {
    await using host = await startTestHost(async ({ path, request, response }) => {
      if (path !== 'dag/import') return false
      const [part] = await readParts(request)
      if (part!.bytes.length < 1000) response.end('{"Stats":{}}\n')
      else refuse(response, 413, 'payload too large', 'text')
      return true
    })
    const adding = createIpfsClient({ url: host.url, maxRequestBytes }).add(randomBytes(2_000_000))
    await expect(adding).rejects.toThrow(
      /HTTP 413: payload too large \(the host takes less in one request: lower maxRequestBytes/,
    )
  })
})

/** The root that the header of an archive names. */
function rootOf(archive: Buffer): string {
  return CID.decode(archive.subarray(14, 50)).toString()
}
