import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { realSurroundings } from '@wayleave/gateway'
import { rawJsonFromText, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  frame,
  key,
  post,
  rawConnection,
  send,
  sleep,
  startNode,
  startTestGateway,
  until,
  withFixed,
} from '../support.ts'
import { clientFrame, closeCodeIn, openSocket, rawUpgraded } from '../web-socket-client.ts'

const MB = 1_000_000
const host = ['Host: 127.0.0.1']
const path = `/v3/${key}`
const other = { name: 'other', keys: [{ key: 'other-key' }] }
const projects = [{ name: 'open', keys: [{ key }] }, other]

/** A batch of 24 calls whose answers take a megabyte each; no other one shares them. */
const bigBatch = (i: number): string => `[${Array.from({ length: 24 }, (_, k) => frame('big', [i, k], k)).join(',')}]`

/** A gateway that lets its callers hold `maxHeldBytes`, over a node that answers `big` with a megabyte. */
async function scene(maxHeldBytes: number, limits: Record<string, number> = {}, maxQueueMs = 100) {
  const big = rawJsonFromText(`"${'a'.repeat(MB)}"`)
  const waiting: (() => void)[] = []
  const node = await startNode(async ({ method }) => {
    if (method === 'test_wait') await new Promise<void>((resolve) => waiting.push(resolve))
    return { result: method === 'big' ? big : rawJsonFromValue('small') }
  })
  onTestFinished(() => node.close())
  const gateway = await startTestGateway(
    [node.url],
    { projects, limits: { maxHeldBytes, ...limits } },
    withFixed({ maxQueueMs }),
  )
  onTestFinished(() => gateway.close(0))
  onTestFinished(() => waiting.forEach((answer) => answer()))
  return {
    node,
    gateway,
    waiting,
    /** The other project's small call is answered, whatever the first one does. */
    async otherIsServed() {
      const { status, body } = await send(gateway.rpc, '/v3/other-key', { body: frame('eth_chainId') })
      expect([status, JSON.parse(body).result]).toEqual([200, 'small'])
    },
    async refusals() {
      const { body } = await send(gateway.admin, '/metrics')
      return Number(/wayleave_budget_refusals_total\{budget="maxHeldBytes",project="open"\} (\d+)/.exec(body)?.[1] ?? 0)
    },
  }
}

describe('a project whose bytes are used up', () => {
  it('gets 503 for bodies that it holds open, and another project is served', async () => {
    const { gateway, otherIsServed, refusals } = await scene(20 * MB)
    const open = Array.from({ length: 8 }, () => rawConnection(gateway.rpc))
    for (const connection of open) {
      connection.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n${'x'.repeat(1_900_000)}`)
    }
    await until(() => open.filter(({ text }) => text.includes('503 Service Unavailable')).length >= 6)
    const refused = open.find(({ text }) => text !== '')!
    expect(refused.text).toMatch(/\r\nRetry-After: 1\r\n[^]*"code":-32005,"message":"[^"]*limits\.maxHeldBytes/)
    expect(await refusals()).toBeGreaterThanOrEqual(6)
    await otherIsServed()
    for (const { socket } of open) socket.destroy()
  })

  it('is served again when what it held was given up', async () => {
    const { gateway } = await scene(14 * MB, { maxBodyBytes: 3 * MB })
    const holder = rawConnection(gateway.rpc)
    holder.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2900000\r\n\r\n`)
    await new Promise((resolve) => holder.socket.write('x'.repeat(2_800_000), resolve))
    await sleep(300)
    const body = frame('a', ['x'.repeat(1_000_000)])
    const ask = async (): Promise<number> => (await send(gateway.rpc, path, { body })).status
    expect(await ask()).toBe(503)
    holder.socket.destroy()
    while ((await ask()) !== 200) await sleep(20)
  })

  it('gets errors for the calls of a batch that do not fit, while nobody reads them', async () => {
    const { gateway, otherIsServed, refusals } = await scene(16 * MB)
    const connection = rawConnection(gateway.rpc)
    connection.socket.pause()
    connection.send(post(path, bigBatch(0), host))
    while ((await refusals()) === 0) await sleep(20)
    await otherIsServed()
    connection.socket.resume()
    const text = await connection.saw(/limits\.maxHeldBytes/)
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/)
    connection.socket.destroy()
  })

  it('has one batch of a connection at a time, so that answers that nobody reads do not grow', async () => {
    const { gateway, otherIsServed, node } = await scene(160 * MB, {}, 30_000)
    const connection = rawConnection(gateway.rpc)
    connection.socket.pause()
    for (let i = 0; i < 5; i++) connection.send(post(path, bigBatch(i), host))
    const bigCalls = (): number => node.calls.filter((method) => method === 'big').length
    await until(() => bigCalls() === 24)
    await otherIsServed()
    await sleep(300)
    const askedUnread = bigCalls()
    connection.socket.resume()
    await until(() => bigCalls() === 120)
    expect(askedUnread).toBe(24)
    connection.socket.destroy()
  })

  it('gets an error for a call over WebSocket whose answer does not fit', async () => {
    const { gateway, otherIsServed } = await scene(8 * MB)
    const client = await openSocket(`${gateway.ws}/ws${path}`)
    client.socket.pause()
    for (let id = 1; id <= 40; id++) client.send(frame('big', [id], id))
    await sleep(300)
    await otherIsServed()
    client.socket.resume()
    await until(() => client.messages.length === 40)
    const codes = client.messages.map((message) => JSON.parse(message).error?.code ?? 0)
    expect(new Set(codes)).toEqual(new Set([0, -32005]))
    await client.close()
  })

  it('is closed with 1013 for messages that come in part', async () => {
    const { gateway, otherIsServed, refusals } = await scene(8 * MB, { maxBodyBytes: 5 * MB })
    const connection = await rawUpgraded(gateway.ws, `/ws${path}`)
    const part = clientFrame(1, 'x'.repeat(60_000), { fin: false })
    const more = clientFrame(0, 'x'.repeat(60_000), { fin: false })
    connection.send(Buffer.concat([part, ...Array.from({ length: 40 }, () => more)]))
    expect(closeCodeIn(await connection.whole())).toBe(1013)
    expect(await refusals()).toBeGreaterThan(0)
    await otherIsServed()
  })

  it('is closed with 1013 for fragments of one byte', async () => {
    const { gateway } = await scene(2 * MB)
    const connection = await rawUpgraded(gateway.ws, `/ws${path}`)
    const one = clientFrame(0, ' ', { fin: false })
    connection.send(Buffer.concat([clientFrame(1, '[', { fin: false }), ...Array.from({ length: 2_000 }, () => one)]))
    // All of it is 14 kB, and its objects are a megabyte: two such connections would not fit.
    const second = await rawUpgraded(gateway.ws, `/ws${path}`)
    second.send(Buffer.concat([clientFrame(1, '[', { fin: false }), ...Array.from({ length: 2_000 }, () => one)]))
    expect(closeCodeIn(await second.whole())).toBe(1013)
    connection.socket.destroy()
  })

  it('gets 503 for bodies that inflate to more than it may hold', async () => {
    const { gateway, waiting, otherIsServed } = await scene(27 * MB)
    const body = gzipSync(frame('test_wait', ['x'.repeat(2 * MB)]))
    const headers = { 'content-encoding': 'gzip' }
    const asked = Array.from({ length: 8 }, () => send(gateway.rpc, path, { body, headers }))
    const statuses: number[] = []
    // Those that wait are cut at the end.
    for (const each of asked) each.then(({ status }) => statuses.push(status)).catch(() => {})
    await until(() => statuses.length + waiting.length === 8)
    expect(statuses.length).toBeGreaterThanOrEqual(5)
    expect(new Set(statuses)).toEqual(new Set([503]))
    await otherIsServed()
  })
})

describe('a connection that does not read', () => {
  it('has no further call begun once it has 256 KiB of answers to take', async () => {
    const { gateway, node } = await scene(64 * MB)
    const connection = rawConnection(gateway.rpc)
    connection.socket.pause()
    const batch = `[${Array.from({ length: 20 }, (_, k) => frame('big', [k], k)).join(',')}]`
    connection.send(post(path, batch, host))
    await until(() => node.calls.length === 20)
    await sleep(500)
    for (let id = 1; id <= 5; id++) connection.send(post(path, frame('a', [id], id), host))
    await sleep(300)
    expect(node.calls).toHaveLength(20)
    connection.socket.resume()
    await connection.saw(/"id":5,"result":"small"/)
    connection.socket.destroy()
  })

  it('has no further message begun over WebSocket, either', async () => {
    const { gateway, node } = await scene(64 * MB)
    const client = await openSocket(`${gateway.ws}/ws${path}`)
    client.socket.pause()
    client.send(`[${Array.from({ length: 20 }, (_, k) => frame('big', [k], k)).join(',')}]`)
    await until(() => node.calls.length === 20)
    await sleep(1_500)
    for (let id = 1; id <= 5; id++) client.send(frame('a', [id], id))
    await sleep(300)
    expect(node.calls).toHaveLength(20)
    client.socket.resume()
    await until(() => client.messages.length === 6)
    await client.close()
  })
})

describe('with little memory', () => {
  const surroundings = { ...realSurroundings, memoryBytes: 16 * MB }
  /** A ninth of a quarter of the memory. */
  const longest = Math.floor((16 * MB) / 4 / 9)

  /** A body of so many bytes, which compress badly. */
  function bodyOf(length: number): string {
    const without = frame('a', ['']).length
    return frame('a', [
      randomBytes(length)
        .toString('base64')
        .slice(0, length - without),
    ])
  }

  async function ask(limits: Record<string, number>) {
    const node = await startNode(async () => ({ result: rawJsonFromValue('small') }))
    onTestFinished(() => node.close())
    const gateway = await startTestGateway([node.url], { limits }, { surroundings })
    onTestFinished(() => gateway.close(0))
    return async (body: string, encoding?: 'gzip'): Promise<number> => {
      const sent = encoding === undefined ? { body } : { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }
      return (await send(gateway.rpc, path, sent)).status
    }
  }

  it('bodies are short enough that each fits, also one that comes compressed', async () => {
    const status = await ask({})
    expect(await status(bodyOf(longest))).toBe(200)
    expect(await status(bodyOf(longest), 'gzip')).toBe(200)
    expect(await status(bodyOf(longest + 1))).toBe(413)
    expect(await status(bodyOf(longest + 1), 'gzip')).toBe(413)
  })

  it('longer ones are taken where the configuration says so, and held as far as a quarter of the memory goes', async () => {
    const status = await ask({ maxBodyBytes: 5 * MB })
    expect(await status(bodyOf(longest + 1))).toBe(200)
    expect(await status(bodyOf(900_000))).toBe(503)
  })
})
