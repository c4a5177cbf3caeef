// Real gateways over real HTTP: what is compressed, for whom, and from whom compressed answers are asked.
import { gunzipSync } from 'node:zlib'
import type { Config, NetworkConfig, RunningGateway } from '@wayleave/gateway'
import { rawJsonFromText, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createCompressor, streamCost } from '@wayleave/http-server'
import {
  exchange,
  frame,
  key,
  post,
  rawConnection,
  send,
  sleep,
  startNode,
  startNodeWith,
  startTestGateway,
  type TestNode,
  until,
} from '../support.ts'

const text = (length: number): string => `"${'0123456789abcdef'.repeat(Math.ceil(length / 16)).slice(0, length)}"`
const results: Readonly<Record<string, string>> = {
  eth_call: text(65_000),
  eth_getLogs: text(70_000),
  debug_traceBlockByNumber: text(1_000_000),
}
let node: TestNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startNode(async ({ method }) => {
    if (method === 'eth_estimateGas') return { error: { code: 3, message: 'reverted', data: text(80_000) } }
    return { result: results[method] === undefined ? rawJsonFromValue(method) : rawJsonFromText(results[method]) }
  })
  gateway = await startTestGateway([node.url], {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', compress: true },
  })
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const ask = (body: string, acceptEncoding: string | undefined, url = gateway.rpc) =>
  send(url, `/v3/${key}`, { body, headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding } })

const codingOf = async (...asked: Parameters<typeof ask>): Promise<unknown> =>
  (await ask(...asked)).headers['content-encoding']

describe('a listener that compresses', () => {
  it.each(['eth_getLogs', 'debug_traceBlockByNumber'])(
    'answers a long %s in gzip, with all of its bytes, and says by what that is chosen',
    async (method) => {
      const response = await fetch(`${gateway.rpc}/v3/${key}`, {
        method: 'POST',
        body: frame(method),
        headers: { 'accept-encoding': 'gzip' },
      })
      expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":1,"result":${results[method]}}`)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        vary: 'Origin, Accept-Encoding',
      })
      expect(response.headers.get('content-length')).toBeNull()
    },
  )

  it.each([
    'gzip',
    'GZIP',
    'x-gzip',
    '*',
    'br, gzip;q=0.1',
    'deflate, *;q=0.5',
    'gzip;q=1.000',
    'identity;q=0.5, gzip',
    'gzip ; q=0.2',
  ])('takes the Accept-Encoding %s for leave', async (acceptEncoding) => {
    expect(await codingOf(frame('eth_getLogs'), acceptEncoding)).toBe('gzip')
  })

  it.each([
    undefined,
    '',
    'identity',
    'br',
    'gzip;q=0',
    'gzip;q=0.000',
    '*;q=0',
    '*, gzip;q=0',
    'gzip;q=0.5, identity',
    'gzip;q=2',
    'gzip;q=a',
  ])('takes the Accept-Encoding %s for none', async (acceptEncoding) => {
    const { headers, body } = await ask(frame('eth_getLogs'), acceptEncoding)
    expect(headers).toMatchObject({ 'content-length': String(body.length), vary: 'Origin, Accept-Encoding' })
    expect(headers).not.toHaveProperty('content-encoding')
  })

  it.each([
    ['a result of up to 64 kB', frame('eth_call')],
    ['an error', frame('eth_estimateGas')],
    ['a batch', `[${frame('eth_getLogs')}]`],
    ['a refusal', frame('eth_getLogs').slice(1)],
  ])('leaves %s plain', async (_what, body) => {
    const { headers } = await ask(body, 'gzip')
    expect(headers).toMatchObject({ vary: 'Origin' })
    expect(headers).not.toHaveProperty('content-encoding')
  })

  it('leaves a result plain where there is no room for the compressed one', async () => {
    const tight = await startTestGateway([node.url], {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', compress: true },
      limits: { maxHeldBytes: 1_000_000 },
    })
    onTestFinished(() => tight.close())
    const { status, headers } = await ask(frame('eth_getLogs'), 'gzip', tight.rpc)
    expect([status, headers['content-encoding']]).toEqual([200, undefined])
  })

  it('cuts the connection where a result breaks off, so that it does not look whole', async () => {
    const broken = await startNode(async () => ({ result: rawJsonFromText(`${text(2_000_000).slice(0, -1)}`) }))
    onTestFinished(() => broken.close())
    const over = await startTestGateway([broken.url], {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', compress: true },
    })
    onTestFinished(() => over.close())
    await expect(ask(frame('eth_getLogs'), 'gzip', over.rpc)).rejects.toThrow(/aborted|hang up|ECONNRESET/)
  })

  it('sends Vary once', async () => {
    const headers = ['Host: 127.0.0.1', 'Connection: close', 'Accept-Encoding: gzip']
    const answered = await exchange(gateway.rpc, post(`/v3/${key}`, frame('eth_getLogs'), headers))
    expect(answered.match(/\r\nVary: [^\r]*/gi)).toEqual(['\r\nVary: Origin, Accept-Encoding'])
  })

  it('gives a result that comes slowly its time anew with each part, though gzip holds them back', async () => {
    const part = text(100_000)
    const slow = await startNodeWith(async (request, response) => {
      request.resume()
      response.write(`{"jsonrpc":"2.0","id":1,"result":[${part}`)
      for (let i = 0; i < 8; i++) {
        await sleep(220)
        response.write(`,${part}`)
      }
      response.end(']}')
    })
    onTestFinished(() => slow.close())
    const over = await startTestGateway([slow.url], {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', compress: true },
      limits: { requestTimeoutMs: 1_200 },
    })
    onTestFinished(() => over.close(0))
    const { status, headers } = await ask(frame('eth_getLogs'), 'gzip', over.rpc)
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
  })

  it('holds the room of one stream for a result that leaves plain as enough others are being compressed', async () => {
    const endless = await startNodeWith((request, response) => {
      request.on('data', (body: Buffer) => {
        const { id } = JSON.parse(body.toString()) as { readonly id: number }
        response.write(`{"jsonrpc":"2.0","id":${id},"result":[${text(300_000)}`)
      })
    })
    onTestFinished(() => endless.close())
    const busy = await startTestGateway([endless.url], {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', compress: true },
    })
    onTestFinished(() => busy.close(0))
    const held = async (): Promise<number> => {
      const { body } = await send(busy.admin, '/metrics')
      return Number(/^wayleave_held_bytes (\d+)/m.exec(body)?.[1])
    }
    const opened = async (i: number): Promise<string> => {
      const connection = rawConnection(busy.rpc)
      onTestFinished(() => void connection.socket.destroy())
      connection.send(post(`/v3/${key}`, frame('eth_getLogs', [i]), ['Host: a', 'Accept-Encoding: gzip']))
      return connection.saw(/\r\n\r\n/)
    }
    for (let i = 0; i < 8; i++) expect(await opened(i)).toContain('Content-Encoding: gzip')
    const before = await held()
    expect(await opened(8)).not.toContain('Content-Encoding')
    expect((await held()) - before).toBeLessThan(2 * streamCost)
  })

  it('begins and ends with a reload', async () => {
    const listen: Config['listen'] = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
    const networks: Config['networks'] = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url] } }
    const config = { listen, networks, cache: false as const, projects: [{ name: 'open', keys: [{ key }] }] }
    const quiet = { networks: { mainnet: { followHeads: false, ...networks['mainnet']! } as NetworkConfig } }
    const other = await startTestGateway([], config)
    onTestFinished(() => other.close())
    const seen = [await codingOf(frame('eth_getLogs'), 'gzip', other.rpc)]
    for (const compress of [true, false]) {
      expect(await other.reload({ ...config, ...quiet, listen: { ...listen, compress } })).toMatchObject({
        applied: true,
      })
      seen.push(await codingOf(frame('eth_getLogs'), 'gzip', other.rpc))
    }
    expect(seen).toEqual([undefined, 'gzip', undefined])
  })
})

describe('a compressor', () => {
  const body = [Buffer.from('a'.repeat(1_000))]

  it('is busy while enough bodies are being compressed, and no more when one has ended', async () => {
    const compressor = createCompressor(2)
    const read: number[] = []
    const gzip = (): AsyncIterable<Uint8Array> => compressor.gzip(body, (bytes) => void read.push(bytes))
    const first = gzip()
    expect(compressor.isBusy).toBe(false)
    const second = gzip()
    expect(compressor.isBusy).toBe(true)
    const parts: Uint8Array[] = []
    for await (const part of first) parts.push(part)
    expect(gunzipSync(Buffer.concat(parts))).toEqual(body[0])
    expect(read[0]).toBe(1_000)
    await until(() => !compressor.isBusy)
    const third = gzip()
    expect(compressor.isBusy).toBe(true)
    for (const left of [second, third]) await left[Symbol.asyncIterator]().return?.()
    await until(() => !compressor.isBusy)
  })

  it('gives up the body of a reader who leaves, before the first part, too', async () => {
    let ended = 0
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<Uint8Array>>(() => {}),
        return: async (): Promise<IteratorResult<Uint8Array>> => {
          ended++
          return { done: true, value: undefined }
        },
      }),
    }
    const coded = createCompressor(1).gzip(source, () => {})
    await coded[Symbol.asyncIterator]().return?.()
    await until(() => ended === 1)
  })
})
