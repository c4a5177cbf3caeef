import type { RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
import { clientFrame, upgrade } from '../web-socket-client.ts'

let node: TestNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startNode(async ({ method, params }) => {
    if (method === 'test_slow') await sleep(50)
    return { result: rawJsonFromValue([method, params?.value()]) }
  })
  gateway = await startTestGateway([node.url], { limits: { maxBodyBytes: 1_000_000, requestTimeoutMs: 15_000 } })
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const host = ['Host: 127.0.0.1']
const path = `/v3/${key}`
const answersIn = (text: string): unknown[] =>
  [...text.matchAll(/\r\n\r\n(\{.*?\})(?=HTTP|$)/gs)].map(([, body]) => JSON.parse(body!).id)

describe('a connection', () => {
  it('is kept for the next call', async () => {
    const connection = rawConnection(gateway.rpc)
    for (let id = 1; id <= 5; id++) {
      connection.send(post(path, frame('a', [], id), host))
      await connection.saw(new RegExp(`"id":${id},"result".*\\}`))
    }
    expect(connection.ended).toBe(false)
    expect(answersIn(connection.text)).toEqual([1, 2, 3, 4, 5])
    connection.socket.destroy()
  })

  it('is kept after a refusal, also of a body that was not read', async () => {
    const connection = rawConnection(gateway.rpc)
    connection.send(post('/v3/nobody', 'x'.repeat(300_000), host) + post(path, frame('a', [], 7), host))
    await connection.saw(/401 Unauthorized[^]*"id":7/)
    connection.socket.destroy()
  })

  it('answers calls that come before the last one was answered, in their order', async () => {
    const calls = [frame('test_slow', [], 1), frame('a', [], 2), frame('test_slow', [], 3), '{', frame('a', [], 5)]
    const text = calls.map((body, i) => post(path, body, i === 4 ? [...host, 'Connection: close'] : host)).join('')
    const answer = await exchange(gateway.rpc, text)
    expect(answersIn(answer)).toEqual([1, 2, 3, null, 5])
  })

  it('of HTTP/1.0, without a host, is served and ended', async () => {
    const body = frame('a')
    const answer = await exchange(gateway.rpc, `POST ${path} HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n[^]*"id":1,"result"/)
  })

  it('of HTTP/1.1 without a host is refused', async () => {
    expect(await exchange(gateway.rpc, `POST ${path} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`)).toMatch(
      /^HTTP\/1\.1 400 /,
    )
  })

  it('may ask for the absolute form, whose authority names the network', async () => {
    const to = (authority: string) =>
      exchange(gateway.rpc, post(`http://${authority}${path}`, frame('a'), [...host, 'Connection: close']))
    expect(await to('mainnet.example.org')).toMatch(/^HTTP\/1\.1 200 /)
    expect(await to('polygon.example.org')).toMatch(/^HTTP\/1\.1 404 [^]*unknown network \\"polygon\\"/)
  })

  it.each(['h2c', 'TLS/1.3', 'foo'])('that offers to upgrade to %s is served as it is', async (protocol) => {
    const headers = [
      ...host,
      'Connection: Upgrade, HTTP2-Settings, close',
      `Upgrade: ${protocol}`,
      'HTTP2-Settings: AAMAAABkAAQAAP__',
    ]
    expect(await exchange(gateway.rpc, post(path, frame('a'), headers))).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*"id":1,"result"/,
    )
  })
})

describe('a connection whose calls wait for their node', () => {
  let held: TestNode
  let own: RunningGateway
  let release: (() => void)[] = []

  beforeAll(async () => {
    held = await startNode(async ({ method }) => {
      if (method === 'test_held') await new Promise<void>((resolve) => release.push(resolve))
      return { result: rawJsonFromValue(method === 'test_large' ? 'x'.repeat(3_000_000) : method) }
    })
    own = await startTestGateway([held.url])
  })
  beforeEach(() => void (release = []))
  afterAll(async () => {
    await own.close()
    await held.close()
  })

  const call = (method: string, id: number): string => post(path, frame(method, [id], id), host)
  const get = (target: string): string => ['GET ' + target + ' HTTP/1.1', ...host, '', ''].join('\r\n')
  const webSocket = upgrade(`/ws/v3/${key}`)
  const noWebSocket = upgrade('/ws/v3/nobody')
  const tunnel = 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'
  const statuses = (text: string): unknown[] =>
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

  it('sends each answer as soon as it is there and those before it were sent', async () => {
    const connection = rawConnection(own.rpc)
    const [first, second] = [call('test_held', 2), call('test_held', 4)]
    connection.send(call('a', 1) + first + call('a', 3) + second + get('/healthz'))
    await connection.saw(/"id":1,/)
    await until(() => release.length === 2)
    expect(statuses(connection.text)).toEqual([200])
    release[0]!()
    await connection.saw(/"id":3,/)
    expect(statuses(connection.text)).toEqual([200, 200, 200])
    release[1]!()
    await connection.saw(/ok\n/)
    expect(answersIn(connection.text)).toEqual([1, 2, 3, 4])
    connection.socket.destroy()
  })

  it.each([
    ['a WebSocket, whose first frame came with it', webSocket + clientFrame(1, frame('b')).toString('latin1'), 101],
    ['a WebSocket with another key', noWebSocket, 401],
    ['a tunnel', tunnel, 405],
  ])('answers an offer of %s after all calls before it', async (_what, offer, status) => {
    for (const between of ['', call('test_large', 2) + get('/healthz') + get('/networks/1/suggestedGasFees')]) {
      const connection = rawConnection(own.rpc)
      connection.send(Buffer.from(call('test_held', 1) + between + offer, 'latin1'))
      await until(() => release.length === 1)
      // The turns in which an offer without calls before it is answered.
      expect(statuses(await exchange(own.rpc, tunnel))).toEqual([405])
      expect(connection.text).toBe('')
      release.pop()!()
      const text = await connection.saw(status === 101 ? /101 [^]*"result":"b"/ : /(?:invalid project id|CONNECT)/)
      expect(statuses(text)).toEqual([200, ...(between === '' ? [] : [200, 200, 401]), status])
      connection.socket.destroy()
    }
  })

  it('is cut with its offer of a WebSocket where the gateway closes without grace', async () => {
    const other = await startTestGateway([held.url])
    const connection = rawConnection(other.rpc)
    connection.send(call('test_held', 1) + webSocket)
    await until(() => release.length === 1)
    await other.close(0)
    expect(await connection.whole()).toBe('')
  })
})

it('calls right behind an offer to upgrade that is not taken are answered in their order', async () => {
  const offers = [...host, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']
  const first = post(path, frame('test_slow', [], 1), host)
  const text = [2, 3, 4].map((id) => post(path, frame('a', [], id), id === 3 ? host : offers)).join('')
  const connection = rawConnection(gateway.rpc)
  connection.send(first + text + post(path, frame('a', [], 5), host))
  await connection.saw(/"id":5,"result".*\}/)
  expect(answersIn(connection.text)).toEqual([1, 2, 3, 4, 5])
  connection.send(post(path, frame('a', [], 6), host))
  await connection.saw(/"id":6,"result".*\}/)
  connection.socket.destroy()
})

describe('a body', () => {
  it('may come in chunks of any size', async () => {
    const body = frame('a', ['ü'.repeat(50)])
    const chunks = [...Buffer.from(body)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('')
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`
    const answer = await exchange(gateway.rpc, Buffer.from(`${head}${chunks}0\r\nTrailer: x\r\n\r\n`, 'latin1'))
    expect(Buffer.from(answer, 'latin1').toString()).toContain(`"result":["a",["${'ü'.repeat(50)}"]]`)
  })

  it('may wait for leave to come', async () => {
    const connection = rawConnection(gateway.rpc)
    const body = frame('a')
    connection.send(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    await connection.saw(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    connection.send(body)
    expect(await connection.whole()).toMatch(/100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  })

  it('may expect nothing else', async () => {
    expect(
      await exchange(gateway.rpc, post(path, frame('a'), [...host, 'Connection: close', 'Expect: the-unexpected'])),
    ).toMatch(/^HTTP\/1\.1 417 /)
  })

  it('of several megabytes too many is answered before it has come', async () => {
    const connection = rawConnection(gateway.rpc)
    connection.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n`)
    await connection.saw(/413 Payload Too Large/)
    connection.socket.destroy()
  })

  it('too long ends its connection, and what came behind it is not done', async () => {
    const before = node.calls.length
    const answer = await exchange(
      gateway.rpc,
      post(path, 'x'.repeat(1_100_000), host) + post(path, frame('eth_sendRawTransaction'), host),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*\r\nConnection: close\r\n/)
    expect(answer).not.toContain('200 OK')
    expect(node.calls).toHaveLength(before)
  })

  it('of several megabytes too many is answered to a client that sends all of it first', async () => {
    const answer = await send(gateway.rpc, path, { body: Buffer.alloc(8_000_000, 'x') })
    expect(answer.status).toBe(413)
  })
})

describe('a message whose length is ambiguous is refused, and the connection ended', () => {
  const smuggled = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
  it.each([
    [
      'Content-Length and Transfer-Encoding',
      `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    ['two lengths', `Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${smuggled}`],
    ['a list of lengths', `Content-Length: 2, 40\r\n\r\n{}${smuggled}`],
    ['a signed length', `Content-Length: +2\r\n\r\n{}${smuggled}`],
    ['a hexadecimal length', `Content-Length: 0x2\r\n\r\n{}${smuggled}`],
    ['a negative length', `Content-Length: -1\r\n\r\n${smuggled}`],
    ['space before the colon', `Content-Length : 2\r\n\r\n{}${smuggled}`],
    ['another last encoding', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`],
    ['an unknown encoding', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a folded encoding', `Transfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a bare line feed in a chunk', `Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n${smuggled}`],
    ['a chunk length of many digits', `Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(40)}\r\n${smuggled}`],
    ['a null in a header', `Content-Length: 2\r\nX: a\0b\r\n\r\n{}${smuggled}`],
    ['bare line feeds', `Content-Length: 2\nX: a\n\n{}${smuggled}`],
  ])('%s', async (_what, rest) => {
    const answer = await exchange(gateway.rpc, `POST ${path} HTTP/1.1\r\nHost: a\r\n${rest}`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n/)
    expect(answer).not.toContain('ok\n')
  })
})

describe('a head', () => {
  it('with a URL of 15 kB is read', async () => {
    expect(
      await exchange(gateway.rpc, post(`${path}?${'q'.repeat(15_000)}`, frame('a'), [...host, 'Connection: close'])),
    ).toMatch(/^HTTP\/1\.1 200 /)
    expect(
      await exchange(gateway.rpc, post(`/v3/${'k'.repeat(15_000)}`, frame('a'), [...host, 'Connection: close'])),
    ).toMatch(/^HTTP\/1\.1 401 /)
  })

  it.each(['URL', 'header', 'number of headers'])('with a %s of 20 kB is refused', async (what) => {
    const headers =
      what === 'header'
        ? [`X: ${'x'.repeat(20_000)}`]
        : what === 'URL'
          ? []
          : Array.from({ length: 5_000 }, () => 'X: y')
    const answer = await exchange(
      gateway.rpc,
      post(what === 'URL' ? `/${'u'.repeat(20_000)}` : path, '{}', [...host, ...headers]),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('of another protocol is refused', async () => {
    for (const text of [
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'HELO there\r\n\r\n',
    ]) {
      expect(await exchange(gateway.rpc, Buffer.from(text, 'latin1'))).toMatch(/^HTTP\/1\.1 400 /)
    }
  })

  it.each(['CONNECT a:80', 'OPTIONS *', 'TRACE /'])('%s leads nowhere', async (line) => {
    const answer = await exchange(gateway.rpc, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^$|^HTTP\/1\.1 4\d\d /)
  })
})

describe('an origin', () => {
  it('of any byte adds no header and stops nothing', async () => {
    for (let byte = 0; byte < 256; byte++) {
      const origin = Buffer.from([...Buffer.from('https://a'), byte, ...Buffer.from('X-Evil: 1')])
      const [before, after] = post(path, frame('a'), [...host, 'Connection: close', 'Origin: <>']).split('<>')
      const answer = await exchange(gateway.rpc, Buffer.concat([Buffer.from(before!), origin, Buffer.from(after!)]))
      expect(answer, `byte ${byte}`).toMatch(/^HTTP\/1\.1 (200|400) /)
      expect(answer, `byte ${byte}`).not.toMatch(/\nX-Evil:/i)
    }
    expect((await send(gateway.rpc, '/healthz')).status).toBe(200)
  })

  it('that comes twice is refused, as two hosts are, and no page may read why', async () => {
    const twice = [...host, 'Connection: close', 'Origin: https://a', 'origin: https://a']
    const offer = ['Connection: Upgrade', 'Upgrade: websocket', 'Origin: https://a', 'Origin: https://b']
    for (const request of [
      post(path, frame('a'), twice),
      ['OPTIONS /v3/a HTTP/1.1', ...twice, '', ''].join('\r\n'),
      ['GET /networks/1/suggestedGasFees HTTP/1.1', ...twice, '', ''].join('\r\n'),
      ['GET /ws/v3/a HTTP/1.1', ...host, ...offer, '', ''].join('\r\n'),
    ]) {
      const answer = await exchange(gateway.rpc, request)
      expect(answer).toMatch(/^HTTP\/1\.1 400 .*"message":"expected one Origin header, got several"/s)
      expect(answer).not.toMatch(/access-control-allow-origin/i)
    }
  })

  it('that is very long is no trouble', async () => {
    const long = await exchange(
      gateway.rpc,
      post(path, frame('a'), [...host, 'Connection: close', `Origin: ${'o'.repeat(10_000)}`]),
    )
    expect(long).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a client that leaves', () => {
  it('while the upstream works ends the call there', async () => {
    const silent = await startNodeWith((_request, _response, calls) => void calls.push('call'))
    const own = await startTestGateway([silent.url])
    const connection = rawConnection(own.rpc)
    connection.send(post(path, frame('a'), host))
    await until(() => silent.calls.length === 1)
    expect(silent.cut).toBe(0)
    connection.socket.destroy()
    await until(() => silent.cut === 1)
    await own.close()
    await silent.close()
  })

  it('while the upstream works on several of its calls ends them all', async () => {
    const silent = await startNodeWith((_request, _response, calls) => void calls.push('call'))
    const own = await startTestGateway([silent.url], { limits: { requestTimeoutMs: 20_000 } })
    const connection = rawConnection(own.rpc)
    connection.send(
      post(path, frame('a', [1]), host) + post(path, frame('a', [2]), host) + post(path, frame('a', [3]), host),
    )
    await until(() => silent.calls.length === 3)
    connection.socket.destroy()
    await until(() => silent.cut === 3).finally(async () => {
      await own.close()
      await silent.close()
    })
  })

  it('while a long answer streams ends it at the upstream', async () => {
    let written = 0
    const piece = `"${'x'.repeat(65_533)}",`
    const endless = await startNodeWith((_request, response) => {
      response.write('{"jsonrpc":"2.0","id":1,"result":[')
      const write = (): void => {
        while (!response.destroyed && response.write(piece)) written++
        response.once('drain', write)
      }
      write()
    })
    const own = await startTestGateway([endless.url])
    const connection = rawConnection(own.rpc)
    connection.send(post(path, frame('a'), host))
    await connection.saw(/200 OK/)
    connection.socket.destroy()
    await until(() => endless.cut === 1)
    await own.close()
    await endless.close()
  })

  it('before its body has come is forgotten', async () => {
    for (let i = 0; i < 50; i++) {
      const connection = rawConnection(gateway.rpc)
      connection.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{`)
      await sleep(2)
      connection.socket.resetAndDestroy()
    }
    expect((await send(gateway.rpc, path, { body: frame('a') })).status).toBe(200)
  })
})

describe('a client that does not read', () => {
  it('holds a streamed answer no longer than a call may take', async () => {
    const large = await startNode(async () => ({ result: rawJsonFromValue('x'.repeat(30_000_000)) }))
    const own = await startTestGateway([large.url], { limits: { requestTimeoutMs: 1_000 } })
    const connection = rawConnection(own.rpc)
    connection.socket.pause()
    connection.send(post(path, frame('a'), host))
    await until(() => large.cut === 1)
    connection.socket.destroy()
    await own.close(0)
    await large.close()
  })
})

describe('1,000 calls', () => {
  it('over one connection leave nothing behind on it', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    const connection = rawConnection(gateway.rpc)
    for (let id = 1; id <= 1_000; id++) {
      connection.send(post(path, frame('a', [], id), host))
      await connection.saw(new RegExp(`"id":${id},"result".*\\}$`))
    }
    connection.socket.destroy()
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })
})
