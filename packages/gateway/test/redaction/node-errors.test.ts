// A node may repeat the credentials that it was sent in its errors. Callers see none of them, whatever their place and spelling.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { createLog, type RunningGateway, type UpstreamConfig } from '@wayleave/gateway'
import { frame, key, post, exchange, send, startNodeWith, startTestGateway } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { startWorkers } from '../workers/worker-gateways.ts'

const pathKey = '0a1b2c3d4e5f60718293a4b5c6d7e8f9'
const capitals = 'SECRETKEY'
const queryKey = 'q/ery+key=0123456789'
const user = 'someoperator'
const password = 'pa55:w/ord+é'
const token = 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.51gnature'
const header = 'h3ader-value/with+more'
const session = 'sess10n-of-a-cookie'
const headers = { 'X-Token': header, Cookie: `theme=dark; session=${session}` }
const pair = `${user}:${password}`
const secrets = [pathKey, capitals, queryKey, user, password, header, session, pair]

const percent = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const escaped = (text: string, prefix = '\\u'): string =>
  Array.from(text, (char) => `${prefix}${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
/** A text as a member of JSON, without its quotes. */
const json = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Spellings as they stand in JSON. */
const spellings: Readonly<Record<string, (text: string) => string>> = {
  plain: json,
  capitals: (text) => json(text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())),
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent-encoded whole': percent,
  'percent-encoded in capitals': (text) => percent(text).toUpperCase(),
  'escaped by JSON': (text) => escaped(text),
  'escaped in part': (text) => escaped(text.slice(0, 3)) + json(text.slice(3)),
  'escaped twice': (text) => escaped(text, '\\\\u'),
  'with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in an address': (text) => Buffer.from(`https://${text}@node`).toString('base64'),
  'base64, percent-encoded': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
  hex: (text) => Buffer.from(text).toString('hex'),
}

/** Error members in which a node repeats a text. */
const places: Readonly<Record<string, (text: string) => string>> = {
  message: (text) => `"code":-32000,"message":"no such key: ${text}."`,
  data: (text) => `"code":-32000,"message":"no","data":"at ${text}"`,
  'a member of data': (text) => `"code":-32000,"message":"no","data":{"deep":[{"url":"https://node/v3/${text}/x"}]}`,
  'the name of a member': (text) => `"code":-32000,"message":"no","data":{"${text}":1}`,
  'a member that no caller expects': (text) => `"code":-32000,"message":"no","further":["${text}"]`,
  'the reason of a revert': (text) => `"code":3,"message":"execution reverted: ${text}","data":"0x"`,
}

/** A node that answers each call, over HTTP and WebSocket, by the members of `scene.error`; `closing`: closes the WebSocket with this reason instead. */
async function startRefusing(scene: { error: string; status: number; closing?: string }) {
  const answerTo = (text: string): string => {
    const { id } = JSON.parse(text) as { id: number }
    return `{"jsonrpc":"2.0","id":${id},"error":{${scene.error}}}`
  }
  const node = await startNodeWith(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string
    response.writeHead(scene.status, { 'content-type': 'application/json' }).end(answerTo(text))
  })
  onTestFinished(() => node.close())
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(sockets, 'listening')
  sockets.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      if (scene.closing === undefined) socket.send(answerTo(data.toString()))
      else socket.close(1011, scene.closing)
    }),
  )
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
    sockets.close()
  })
  return { http: node.url, ws: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}` }
}

const withCredentials = (url: string): string => {
  const at = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  return `${url.replace('//', `//${at}`)}/v3/${pathKey}/${capitals}?apikey=${encodeURIComponent(queryKey)}`
}

const network = (upstream: UpstreamConfig) => ({
  networks: { mainnet: { kind: 'evm' as const, chainId: 1, upstreams: [upstream] } },
})

async function bodyOf(gateway: RunningGateway, body = frame('eth_getBalance', [`0x${'ab'.repeat(20)}`, 'latest'])) {
  return (await send(gateway.rpc, `/v3/${key}`, { body })).body
}

function expectNone(body: string, spelled: string): void {
  expect(body).not.toContain(spelled)
  expect(body).toContain('[redacted]')
  expect(() => JSON.parse(body) as unknown).not.toThrow()
}

async function begin(upstreamOf: (node: { http: string; ws: string }) => UpstreamConfig) {
  const scene: { error: string; status: number; closing?: string } = { error: '', status: 200 }
  const upstream = upstreamOf(await startRefusing(scene))
  const gateway = await startTestGateway([], network(upstream))
  onTestFinished(() => gateway.close(0))
  return { scene, gateway, upstream }
}

describe('the credentials of a node', () => {
  it('reach no caller in any place and spelling', async () => {
    const { scene, gateway } = await begin(({ http }) => ({ url: withCredentials(http), headers }))
    const leaks: string[] = []
    let tried = 0
    async function seek(where: string, secret: string, error: string, spelled: string): Promise<void> {
      scene.error = error
      tried++
      if ((await bodyOf(gateway)).includes(spelled)) leaks.push(`${secret} in ${where}`)
    }
    for (const secret of secrets) {
      for (const [name, spell] of Object.entries(spellings)) {
        await seek(name, secret, places['a member of data']!(spell(secret)), spell(secret))
      }
      for (const [name, place] of Object.entries(places)) await seek(name, secret, place(json(secret)), json(secret))
    }
    expect(leaks).toEqual([])
    expect(tried).toBe(secrets.length * (Object.keys(spellings).length + Object.keys(places).length))
  })

  it('reach no caller where a header of the configuration holds them', async () => {
    for (const [authorization, each] of [
      [`Bearer ${token}`, token],
      [`Basic ${Buffer.from(pair).toString('base64')}`, password],
      [`Basic ${Buffer.from('me:pw').toString('base64')}`, Buffer.from('me:pw').toString('base64')],
    ] as const) {
      const { scene, gateway } = await begin(({ http }) => ({ url: http, headers: { authorization } }))
      for (const spell of Object.values(spellings)) {
        scene.error = places['message']!(spell(each))
        expectNone(await bodyOf(gateway), spell(each))
      }
    }
  })

  it.each([400, 404, 422])('reach no caller beside HTTP status %i', async (status) => {
    const { scene, gateway } = await begin(({ http }) => ({ url: withCredentials(http), headers }))
    scene.status = status
    scene.error = places['message']!(pathKey)
    expectNone(await bodyOf(gateway), pathKey)
  })

  it.each([401, 403, 429, 500, 503])('and no word of the node reach a caller beside HTTP status %i', async (status) => {
    const { scene, gateway } = await begin(({ http }) => ({ url: withCredentials(http), headers }))
    scene.status = status
    scene.error = places['message']!(pathKey)
    expect(await bodyOf(gateway)).not.toContain(pathKey)
  })

  it('reach no caller in a batch, nor over WebSocket, nor for a subscription', async () => {
    const { scene, gateway } = await begin(({ http, ws }) => ({
      url: withCredentials(http),
      ws: withCredentials(ws).replace(pathKey, 'an0ther-key'),
      headers,
    }))
    const socket = await openSocket(`${gateway.rpc.replace('http', 'ws')}/ws/v3/${key}`)
    onTestFinished(() => void socket.close())
    for (const each of [pathKey, 'an0ther-key']) {
      scene.error = places['data']!(each)
      const call = frame('eth_getBalance', [`0x${'ab'.repeat(20)}`, 'latest'])
      expectNone(await bodyOf(gateway, `[${call},${call}]`), each)
      for (const one of [call, frame('eth_subscribe', ['syncing'])]) {
        socket.send(one)
        expect(JSON.stringify(await socket.next())).not.toContain(each)
      }
    }
  })

  it('reach no caller from a node that is reached by WebSocket alone', async () => {
    const { scene, gateway } = await begin(({ ws }) => ({ url: withCredentials(ws), headers }))
    for (const each of secrets) {
      scene.error = places['data']!(json(each))
      expectNone(await bodyOf(gateway), json(each))
    }
  })

  it('reach no caller by the reason with which a node closes its connection', async () => {
    const { scene, gateway } = await begin(({ ws }) => ({ url: withCredentials(ws), headers }))
    const socket = await openSocket(`${gateway.rpc.replace('http', 'ws')}/ws/v3/${key}`)
    onTestFinished(() => void socket.close())
    for (const each of secrets) {
      scene.closing = `no such key ${each}`
      expect(await bodyOf(gateway)).not.toContain(json(each))
      socket.send(frame('eth_subscribe', ['newHeads']))
      expect(JSON.stringify(await socket.next())).not.toContain(json(each))
    }
    expect(socket.closed?.reason ?? '').not.toContain(pathKey)
  })

  it('reach no caller in an error that is longer than the results that are streamed', async () => {
    const { scene, gateway } = await begin(({ http }) => ({ url: withCredentials(http), headers }))
    for (const place of Object.values(places)) {
      scene.error = place(`${'a '.repeat(300_000)}${pathKey}`)
      expectNone(await bodyOf(gateway), pathKey)
    }
  })

  it('reach no caller by a stream of events', async () => {
    const { scene, gateway } = await begin(({ http }) => ({ url: withCredentials(http), headers }))
    scene.error = places['message']!(pathKey)
    for (const type of ['newHeads', 'logs', 'newPendingTransactions', 'syncing']) {
      const { body } = await send(gateway.rpc, `/v3/${key}/events?type=${type}`)
      expect(body).not.toContain(pathKey)
    }
  })

  it('reach no caller of a worker', async () => {
    const scene = { error: '', status: 200 }
    const { http } = await startRefusing(scene)
    const { workers } = await startWorkers(network({ url: withCredentials(http), headers }))
    for (const { gateway } of workers) {
      for (const each of secrets) {
        scene.error = places['message']!(json(each))
        expectNone(await bodyOf(gateway), json(each))
      }
    }
  })

  it.each([200, 400, 500])('reach neither the log nor an explanation, beside HTTP status %i', async (status) => {
    const scene = { error: places['message']!(pathKey), status }
    const { http } = await startRefusing(scene)
    let written = ''
    const log = createLog({ level: 'debug', destination: { write: (line) => void (written += line) } })
    const gateway = await startTestGateway([], network({ url: withCredentials(http), headers }), { log })
    onTestFinished(() => gateway.close(0))
    const asked = { body: frame('eth_getBalance', [`0x${'ab'.repeat(20)}`, 'latest']) }
    const { headers: reported } = await send(gateway.rpc, `/v3/${key}`, asked)
    const { body } = await send(gateway.admin, `/explain/${String(reported['x-trace-id'])}`)
    expect(body).toContain('eth_getBalance')
    expect(written).not.toBe('')
    expect(body + written).not.toContain(pathKey)
  })

  it('are replaced where a secret is a number or ends a string, though the data is lost', async () => {
    const { scene, gateway } = await begin(({ http }) => ({
      url: `${http}/v3/1234567890`,
      headers: { a: 'x","b":"y' },
    }))
    for (const data of ['{"at":1234567890}', '{"a":"x","b":"y"}']) {
      scene.error = `"code":-32000,"message":"no","data":${data}`
      const { error } = JSON.parse(await bodyOf(gateway)) as { error: { code: number; message: string; data: unknown } }
      expect(error).toMatchObject({ code: -32000, message: 'no' })
      expect(JSON.stringify(error)).not.toMatch(/1234567890|x","b":"y/)
    }
  })
})

describe('an error of a node', () => {
  it('without credentials keeps its bytes, and so do words and short parts of its URL', async () => {
    const { scene, gateway } = await begin(({ http }) => ({
      url: `${http.replace('//', '//me:pass@')}/ethereum/mainnet/v3/rpc?network=sepolia`,
      headers: { 'x-a': 'short' },
    }))
    for (const error of [
      '"code" : -32000, "message":"ethereum mainnet v3 rpc sepolia pass me short \\u0041\\/", "data":{"a":[1e2]}',
      `"code":3,"message":"execution reverted","data":"0x08c379a0${'61'.repeat(500_000)}"`,
      `"code":-32000,"message":"deep","data":${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    ]) {
      scene.error = error
      expect((await bodyOf(gateway)).includes(`{${error}}`)).toBe(true)
    }
  })

  it('without credentials of eight hex digits keeps the data of a revert', async () => {
    const { scene, gateway } = await begin(({ http }) => ({ url: `${http}/v3/deadbee5` }))
    scene.error = '"code":3,"message":"execution reverted: deadbee5","data":"0x08c379a0deadbee500"'
    expect(await bodyOf(gateway)).toContain('"message":"execution reverted: [redacted]","data":"0x08c379a0deadbee500"')
  })

  it('keeps its depth, and loses the credentials in it', async () => {
    const { scene, gateway } = await begin(({ http }) => ({ url: withCredentials(http) }))
    const deep = (text: string): string => `${'['.repeat(50_000)}"${text}"${']'.repeat(50_000)}`
    scene.error = `"code":-32000,"message":"deep","data":${deep(pathKey)}`
    expect((await bodyOf(gateway)).includes(deep('[redacted]'))).toBe(true)
  })
})

it('a result that repeats credentials is passed on byte for byte', async () => {
  const node = await startNodeWith(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string
    const { id } = JSON.parse(text) as { id: number }
    response.end(`{"jsonrpc":"2.0","id":${id},"result":"${pathKey}"}`)
  })
  onTestFinished(() => node.close())
  const gateway = await startTestGateway([], network({ url: withCredentials(node.url), headers }))
  onTestFinished(() => gateway.close(0))
  expect(await exchange(gateway.rpc, post(`/v3/${key}`, frame('eth_call', [{}, 'latest'])))).toContain(
    `"result":"${pathKey}"`,
  )
})
