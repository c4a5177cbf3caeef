import { once } from 'node:events'
import { connect } from 'node:net'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpUrl, key, startGatewayBefore } from './support/gateway.ts'
import { call, openPost, post } from './support/http.ts'
import { answer, type Peer, startPeer } from './support/peer.ts'

let peer: Peer
let gateway: RunningGateway

beforeAll(async () => {
  peer = await startPeer(answer('0x1'))
  gateway = await startGatewayBefore([peer.httpUrl])
})

afterAll(async () => {
  await gateway.close()
  await peer[Symbol.asyncDispose]()
})

describe('a call over HTTP', () => {
  it.each(['7', '"a"', 'null', '9007199254740993', '1.50', '-0', '"\\u0000\\ud800"'])(
    'gets its id %s back as it came',
    async (id) => {
      const { text } = await post(httpUrl(gateway), `{"method":"eth_gasPrice","id": ${id} ,"jsonrpc":"2.0"}`)
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`)
    },
  )

  it('without an id gets an empty answer', async () => {
    const { status, text } = await post(httpUrl(gateway), '{"jsonrpc":"2.0","method":"eth_gasPrice"}')
    expect([status, text]).toEqual([200, ''])
    const batch = await post(
      httpUrl(gateway),
      '[{"jsonrpc":"2.0","method":"eth_gasPrice"},{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}]',
    )
    expect(batch.text).toBe('[{"jsonrpc":"2.0","id":1,"result":"0x1"}]')
  })

  it('is answered also where the client offers HTTP/2 beside it, as Java and curl do', async () => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
    }
    const { status, text } = await post(httpUrl(gateway), call('eth_gasPrice'), { headers })
    expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'])
  })

  it('is answered after 100 Continue where the client asks for it', async () => {
    const request = openPost(httpUrl(gateway), call('eth_gasPrice'), { headers: { expect: '100-continue' } })
    const [continued, [response]] = await Promise.all([
      once(request, 'continue').then(() => true),
      once(request, 'response'),
    ])
    expect([continued, (response as { statusCode: number }).statusCode]).toEqual([true, 200])
  })

  it('is answered in order where calls are sent ahead on one connection', async () => {
    const { hostname, port } = new URL(gateway.rpc)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    for (let id = 1; id <= 5; id++) {
      const body = JSON.stringify(call('eth_gasPrice', [], id))
      const last = id === 5 ? 'Connection: close\r\n' : ''
      socket.write(`POST /v3/${key} HTTP/1.1\r\nHost: x\r\n${last}Content-Length: ${body.length}\r\n\r\n${body}`)
    }
    await once(socket, 'close')
    expect([...text.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('that is too long is answered 413 before the connection closes', async () => {
    const long = call('eth_sendRawTransaction', [`0x${'0'.repeat(12 * 1024 * 1024)}`])
    for (let i = 0; i < 20; i++) {
      const { status, text } = await post(httpUrl(gateway), long)
      expect(status).toBe(413)
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
    }
    expect(peer.calls).not.toContain('eth_sendRawTransaction')
  })

  it('that is too long, and does not say how long it is, is answered 413 before the connection closes', async () => {
    for (let i = 0; i < 20; i++) {
      const headers = { 'transfer-encoding': 'chunked' }
      const { status } = await post(httpUrl(gateway), call('eth_call', ['0'.repeat(12 * 1024 * 1024)]), { headers })
      expect(status).toBe(413)
    }
  })

  it('of a web page is allowed without credentials, and names its origin', async () => {
    const origin = 'https://app.example.org'
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const preflight = await post(httpUrl(gateway), '', { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST, OPTIONS',
    })
    expect(preflight.headers['access-control-allow-headers']).toMatch(/content-type/i)
    const { headers: got } = await post(httpUrl(gateway), call('eth_gasPrice'), { headers: { origin } })
    expect(got).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
  })
})
