import { type ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsClient } from '../../src/index.ts'
import { allOf, refuse, startTestHost } from './test-host.ts'

const bytes = Buffer.alloc(600_000, 'bytes that are not all the same in each of their blocks')

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) {
    await turn()
    yield bytes.subarray(at, at + 50_000)
  }
}

type Work = (client: IpfsClient, cid: string, signal: AbortSignal) => Promise<unknown>

const works: readonly (readonly [string, Work])[] = [
  ['add', (client, _, signal) => client.add(pieces(), { signal })],
  [
    'addAll',
    (client, _, signal) =>
      allOf(
        client.addAll(
          [
            { path: 'd/a', content: pieces() },
            { path: 'd/b', content: 'b' },
          ],
          { signal },
        ),
      ),
  ],
  ['cat', (client, cid, signal) => client.cat(cid, { signal }).bytes()],
  ['cat of a range', (client, cid, signal) => client.cat(cid, { signal, offset: 10 }).bytes()],
  ['cat, unverified', (client, cid, signal) => client.cat(cid, { signal, verify: 'off' }).bytes()],
  [
    'get',
    async (client, cid, signal) => {
      for await (const { content } of client.get(cid, { signal })) await allOf(content)
    },
  ],
  ['block.get', (client, cid, signal) => client.block.get(cid, { signal })],
]

// A rejection that nobody hears of fails the run by itself.
describe.each([
  ['stream', []],
  ['buffer', ['dag/export']],
  ['stream', ['dag/export', 'block/get']],
] as const)('with uploads by %s, at a host that lacks %j', (uploads, lacks) => {
  it.each(works)('%s ends at whatever moment its signal comes, and leaves no request behind', async (_, work) => {
    const open = new Set<ServerResponse>()
    await using host = await startTestHost(({ path, response }) => {
      open.add(response)
      response.on('close', () => open.delete(response))
      return (lacks as readonly string[]).includes(path) && refuse(response, 404, '404 page not found', 'text')
    })
    const client = createIpfsClient({ url: host.url, uploads })
    const { cid } = await client.add(bytes)
    const outcomes = new Set<string>()
    for (let turns = 0; turns < 60; turns = Math.ceil(turns * 1.3 + 1)) {
      const controller = new AbortController()
      const working = work(client, cid, controller.signal).then(
        () => 'done',
        (thrown: { readonly code: string }) => thrown.code,
      )
      for (let at = 0; at < turns; at++) await turn()
      controller.abort()
      outcomes.add(await working)
    }
    outcomes.delete('done')
    if (lacks.length === 2) outcomes.delete('http_status')
    expect([...outcomes]).toEqual(['aborted'])
    await expect.poll(() => open.size).toBe(0)
  })
})

it('a reader that leaves early frees its request, at once', async () => {
  const open = new Set<ServerResponse>()
  await using host = await startTestHost(({ path, response }) => {
    if (path === 'add') return false
    open.add(response)
    response.on('close', () => open.delete(response))
    // Never ends.
    return path === 'cat' ? (response.write(new Uint8Array(100)), true) : false
  })
  const client = createIpfsClient({ url: host.url })
  const { cid } = await client.add(bytes)
  for (const verify of ['consistent', 'off'] as const) {
    for await (const chunk of client.cat(cid, { verify })) if (chunk.length > 0) break
    const reader = client.cat(cid, { verify }).stream().getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => open.size).toBe(0)
  }
  for await (const { content } of client.get(cid)) for await (const _ of content) break
  await expect.poll(() => open.size).toBe(0)
})

it('two readers of one result: the second is told, the first goes on', async () => {
  await using host = await startTestHost()
  const client = createIpfsClient({ url: host.url })
  const { cid } = await client.add(bytes)
  const read = client.cat(cid)
  const first = read.bytes()
  await expect(read.bytes()).rejects.toMatchObject({ code: 'bad_argument' })
  expect(bytes.equals(await first)).toBe(true)
})

it.each(['off', 'consistent'] as const)(
  'a reader that leaves while it waits is not kept: verify %s',
  async (verify) => {
    const arrived = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    await using host = await startTestHost(({ path, response }) => {
      if (path === 'add' || path === 'pin/ls') return false
      response.on('close', closed.resolve)
      // Says no more than that.
      response.write('x', () => arrived.resolve())
      return true
    })
    const client = createIpfsClient({ url: host.url, verify, timeoutMs: 2 ** 31 })
    const { cid } = await client.add(bytes, { verify: 'consistent' })
    const read = client.cat(cid)
    const reader = read.stream().getReader()
    if (verify === 'off') await reader.read()
    const waiting = reader.read()
    await arrived.promise
    await reader.cancel()
    expect(await waiting).toEqual({ done: true, value: undefined })
    await closed.promise
    expect(await read.verification).toBe('unverified')
  },
)

describe('the source of an upload', () => {
  it('that gives not even a first entry is left when the signal comes', async () => {
    const controller = new AbortController()
    const asked = Promise.withResolvers<void>()
    async function* never(): AsyncGenerator<{ content: string }> {
      asked.resolve()
      await new Promise(() => {})
      yield { content: '' }
    }
    const adding = allOf(createIpfsClient({ url: 'http://127.0.0.1:1' }).addAll(never(), controller))
    await asked.promise
    controller.abort()
    await expect(adding).rejects.toMatchObject({ code: 'aborted' })
  })

  it.each([
    ['the signal came before', { signal: AbortSignal.abort() }, 'aborted', []],
    ['no proof is possible', { verify: 'proven', inline: true }, 'unverified', ['asked', 'closed']],
    ['no host is there', {}, 'connect', ['asked', 'closed']],
  ] as const)('is closed, even if that fails, where %s', async (_, options, code, expected) => {
    const log: string[] = []
    const closed = Promise.withResolvers<void>()
    async function* source(): AsyncGenerator<{ content: string }> {
      log.push('asked')
      try {
        for (;;) yield { content: 'x' }
      } finally {
        log.push('closed')
        closed.resolve()
        await Promise.reject(new Error('and the close failed'))
      }
    }
    const client = createIpfsClient({ url: 'http://127.0.0.1:1', maxParts: 3 })
    const adding = allOf(client.addAll(source(), options))
    await expect(adding).rejects.toMatchObject({ code })
    if (expected.length > 0) await closed.promise
    expect(log).toEqual(expected)
  })
})

it('closes content that was read ahead, and that no request came to', async () => {
  const closed = Promise.withResolvers<void>()
  async function* large(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(1 << 20)
    } finally {
      closed.resolve()
    }
  }
  await expect(createIpfsClient({ url: 'http://127.0.0.1:1' }).add(large())).rejects.toMatchObject({ code: 'connect' })
  await closed.promise
})

it.each<readonly [string, (client: IpfsClient) => Promise<unknown>]>([
  ['content', (client) => client.add(silent())],
  ['entries', (client) => allOf(client.addAll(silent()))],
  ['entries that are counted first', (client) => allOf(client.addAll(Object.assign(silent(), { totals: silent })))],
  ['content behind much that came', (client) => client.add(silent(new Uint8Array(9 << 20) as never))],
])('an upload of %s that never comes ends with its deadline', async (_, run) => {
  await using host = await startTestHost(({ path, response }) => {
    if (path !== 'dag/import') return false
    response.end('{"Stats":{"BlockCount":1,"BlockBytesCount":1}}')
    return true
  })
  for (const uploads of ['stream', 'buffer'] as const) {
    const adding = run(createIpfsClient({ url: host.url, uploads, deadlineMs: 200 }))
    await expect(adding).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('deadlineMs') })
  }
})

async function* silent(...first: never[]): AsyncGenerator<never> {
  yield* first
  await new Promise(() => {})
}

it.each(['stream', 'buffer'] as const)('an upload by %s of what never comes ends with its signal', async (uploads) => {
  await using host = await startTestHost()
  const controller = new AbortController()
  const began = Promise.withResolvers<void>()
  async function* hanging(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1)
    began.resolve()
    await new Promise(() => {})
  }
  const adding = createIpfsClient({ url: host.url, uploads }).add(hanging(), { signal: controller.signal })
  await began.promise
  controller.abort()
  await expect(adding).rejects.toMatchObject({ code: 'aborted' })
})
