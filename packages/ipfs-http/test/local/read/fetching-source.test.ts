import type { ServerResponse } from 'node:http'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, test } from 'vitest'
import { IpfsError } from '../../../src/error.ts'
import { fetchingSource, type FetchingSource } from '../../../src/local/read/fetching-source.ts'
import { cidOf, codes, identityOf, type MemoryBlocks, memoryBlocks, never, noise } from './dags.ts'
import { type FakeClock, fakeClock } from '../../fake-clock.ts'
import { type FakeGateway, startGateway } from './gateways.ts'

const bytes = noise(1000)
const cid = cidOf(bytes)
const gives = (body: Uint8Array) => (response: ServerResponse) => void response.end(body)
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end()

function sourceOf(
  ...gateways: readonly (FakeGateway | string)[]
): FetchingSource & { readonly store: MemoryBlocks; readonly clock: FakeClock } {
  const [store, clock] = [memoryBlocks(), fakeClock()]
  const urls = gateways.map((gateway) => (typeof gateway === 'string' ? gateway : gateway.url))
  return { ...fetchingSource(store, { gateways: urls, clock, timeoutMs: 1000 }), store, clock }
}

describe('a source without gateways', () => {
  test('says in the words of Kubo what is not here', async () => {
    const source = sourceOf()
    await expect(source.get(cid, never)).rejects.toMatchObject({
      code: 'not_found',
      message: `block was not found locally (offline): ipld: could not find ${cid}`,
    })
    await source.store.put(cid, bytes)
    expect(await source.get(cid, never)).toEqual(bytes)
    expect(await source.get(identityOf(noise(128)), never)).toEqual(noise(128))
  })
})

describe('a block that is not here', () => {
  test('is fetched as a raw block, stored, and not fetched again', async () => {
    const gateway = await startGateway(gives(bytes))
    const source = sourceOf(`${gateway.url}/sub/`)
    expect(await source.has(cid)).toBe(false)
    expect(new Uint8Array(await source.get(cid, never))).toEqual(bytes)
    expect(await source.has(cid)).toBe(true)
    await source.get(cid, never)
    expect(gateway.requests.map(({ url, headers }) => [url, headers.accept])).toEqual([
      [`/sub/ipfs/${cid}?format=raw`, 'application/vnd.ipld.raw'],
    ])
    expect(source.clock.pending).toBe(0)
  })

  test('is asked of the next gateway where the first has none, and of none twice', async () => {
    const [first, second] = [await startGateway(status(404)), await startGateway(gives(bytes))]
    const source = sourceOf(first, second)
    expect((await source.get(cid, never)).length).toBe(1000)
    expect([first.requests.length, second.requests.length]).toEqual([1, 1])
    second.answer = status(410)
    const other = cidOf(noise(5))
    await expect(source.get(other, never)).rejects.toMatchObject({
      code: 'not_found',
      message: `block was not found at any gateway: ipld: could not find ${other}`,
    })
    // To have none is no failure: it is asked first again.
    expect([first.requests.length, second.requests.length]).toEqual([2, 2])
  })

  test('is never taken from a gateway that sends other bytes, which is left alone for ten minutes', async () => {
    const [liar, honest] = [await startGateway(gives(noise(1000, 2))), await startGateway(gives(bytes))]
    const source = sourceOf(liar, honest)
    expect(new Uint8Array(await source.get(cid, never))).toEqual(bytes)
    expect(source.store.blocks.size).toBe(1)
    source.store.blocks.clear()
    source.clock.advance(599_000)
    await source.get(cid, never)
    expect(liar.requests.length).toBe(1)
    source.store.blocks.clear()
    source.clock.advance(2000)
    await source.get(cid, never)
    expect(liar.requests.length).toBe(2)
    const alone = sourceOf(liar)
    await expect(alone.get(cid, never)).rejects.toMatchObject({ code: 'mismatch', message: /127\.0\.0\.1/ })
    expect(alone.store.blocks.size).toBe(0)
    await expect(alone.get(cid, never)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is asked last of a gateway that fails, for half a minute', async () => {
    const [broken, good] = [await startGateway(status(502)), await startGateway(gives(bytes))]
    const source = sourceOf(broken, good)
    await source.get(cid, never)
    source.store.blocks.clear()
    await source.get(cid, never)
    expect([broken.requests.length, good.requests.length]).toEqual([1, 2])
    source.store.blocks.clear()
    source.clock.advance(30_001)
    await source.get(cid, never)
    expect([broken.requests.length, good.requests.length]).toEqual([2, 3])
    good.answer = status(503)
    source.store.blocks.clear()
    await expect(source.get(cid, never)).rejects.toMatchObject({ code: 'http_status', status: 502 })
  })

  test('is given up after the deadline of each gateway', async () => {
    const asked = Promise.withResolvers<void>()
    const silent = await startGateway((response) => {
      response.write(bytes.subarray(0, 10))
      asked.resolve()
    })
    const source = sourceOf(silent)
    const getting = source.get(cid, never)
    await asked.promise
    source.clock.advance(1000)
    await expect(getting).rejects.toMatchObject({ code: 'timeout', message: /within 1000 ms/ })
  })

  test('is not read beyond 2 MiB', async () => {
    let closed = false
    const endless = await startGateway((response) => {
      response.on('close', () => (closed = true))
      const more = (): void => void (closed || response.write(new Uint8Array(65_536), more))
      more()
    })
    await expect(sourceOf(endless).get(cid, never)).rejects.toMatchObject({ code: 'too_large' })
    await expect.poll(() => closed).toBe(true)
  })

  test('is not fetched through a redirect, nor with an unknown hash', async () => {
    const target = await startGateway(gives(bytes))
    const gateway = await startGateway(status(302, { location: target.url }))
    await expect(sourceOf(gateway).get(cid, never)).rejects.toMatchObject({
      code: 'http_status',
      message: /does not redirect/,
    })
    expect(target.requests.length).toBe(0)
    const unknown = CID.createV1(codes.raw, Digest.create(0xd5, noise(32)))
    await expect(sourceOf(target).get(unknown, never)).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('whose CID no bytes can match costs no gateway its good name', async () => {
    const gateway = await startGateway(gives(bytes))
    const source = sourceOf(gateway)
    const { digest } = cid.multihash
    for (const bad of [digest.subarray(0, 19), Buffer.concat([digest, digest])]) {
      const unmatched = CID.createV1(codes.raw, Digest.create(0x12, bad))
      await expect(source.get(unmatched, never)).rejects.toMatchObject({ code: 'bad_content' })
    }
    expect(gateway.requests.length).toBe(0)
    gateway.answer = gives(new Uint8Array(2 ** 21 + 1))
    await expect(source.get(cidOf(noise(5)), never)).rejects.toMatchObject({ code: 'too_large' })
    gateway.answer = gives(bytes)
    expect((await source.get(cid, never)).length).toBe(1000)
  })

  test('that is broken here is fetched again, or else said to be broken', async () => {
    const gateway = await startGateway(gives(bytes))
    const source = sourceOf(gateway)
    const broken = new IpfsError('bad_content', 'broken on the disk')
    const fine = source.store.get.bind(source.store)
    source.store.get = async (...args) => (source.store.blocks.size === 0 ? Promise.reject(broken) : fine(...args))
    expect((await source.get(cid, never)).length).toBe(1000)
    expect((await source.get(cid, never)).length).toBe(1000)
    expect(gateway.requests.length).toBe(1)
    source.store.blocks.clear()
    gateway.answer = status(404)
    await expect(source.get(cid, never)).rejects.toBe(broken)
  })

  test('is not waited for any more when the store is closed', async () => {
    const asked = Promise.withResolvers<void>()
    const source = sourceOf(await startGateway(() => asked.resolve()))
    const getting = source.get(cid, never)
    await asked.promise
    const closed = new IpfsError('closed', 'closed')
    source.close(closed)
    await expect(getting).rejects.toBe(closed)
    expect(source.clock.pending).toBe(0)
  })

  test('is fetched once for all who want it, until the last of them leaves', async () => {
    const answered = Promise.withResolvers<ServerResponse>()
    const gone = Promise.withResolvers<void>()
    const gateway = await startGateway((response) => {
      response.on('close', gone.resolve)
      answered.resolve(response)
    })
    const source = sourceOf(gateway)
    const controllers = [new AbortController(), new AbortController(), new AbortController()] as const
    const gets = controllers.map(({ signal }) => source.get(cid, signal))
    const response = await answered.promise
    controllers[0].abort()
    await expect(gets[0]).rejects.toMatchObject({ code: 'aborted' })
    response.end(bytes)
    expect((await gets[1])?.length).toBe(1000)
    expect((await gets[2])?.length).toBe(1000)
    expect(gateway.requests.length).toBe(1)
    await gone.promise

    source.store.blocks.clear()
    const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    gateway.answer = (unanswered) => {
      unanswered.on('close', left.resolve)
      asked.resolve()
    }
    const controller = new AbortController()
    const getting = source.get(cid, controller.signal)
    await asked.promise
    gateway.answer = gives(bytes)
    controller.abort()
    // Who comes at once starts anew: the fetch that was left is over, though it may not know yet.
    const [first, again] = await Promise.allSettled([getting, getting.catch(() => source.get(cid, never))])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } })
    expect(again.status === 'fulfilled' && again.value.length).toBe(1000)
    await left.promise
    expect(source.clock.pending).toBe(0)
  })
})

test('credentials of a gateway are sent as a header, and stand in no message', async () => {
  const gateway = await startGateway(status(500))
  const source = sourceOf(gateway.url.replace('//', '//us%40er:pass@'))
  const failed = await source.get(cid, never).catch((thrown: Error) => thrown.message)
  expect(failed).not.toMatch(/pass/)
  expect(gateway.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('us@er:pass').toString('base64')}`)
})

test.each(['', 'gateway.example', 'ftp://gateway.example'])('%j is no gateway', (url) => {
  expect(() => sourceOf(url)).toThrow(expect.objectContaining({ code: 'bad_argument' }))
})
