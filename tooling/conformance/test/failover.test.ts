import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { httpUrl, startGatewayBefore, wsUrl } from './support/gateway.ts'
import { call, post, type RpcAnswer } from './support/http.ts'
import {
  answer,
  deadUrl,
  garbage,
  hang,
  type HttpScript,
  type Peer,
  refuseWith,
  reset,
  startPeer,
} from './support/peer.ts'
import { openSocket } from './support/socket.ts'

const read = call('eth_getBalance', ['0x1', 'latest'], 'r')
const write = call('eth_sendRawTransaction', ['0x02'], 'w')

/** How an upstream can fail over HTTP once the call has arrived. */
const failures: readonly { readonly how: string; readonly script: HttpScript }[] = [
  { how: 'resets the connection', script: reset },
  { how: 'answers 500 with HTML', script: refuseWith(500, '<h1>Internal Server Error</h1>') },
  { how: 'answers 503', script: refuseWith(503, 'upstream connect error', 'text/plain') },
  { how: 'answers 429 with a JSON-RPC error', script: rpcErrorWith(429, -32005) },
  { how: 'answers 200 with HTML', script: refuseWith(200, '<h1>Welcome</h1>') },
  { how: 'answers garbage', script: garbage },
  { how: 'answers nothing', script: refuseWith(200, '', 'application/json') },
  {
    how: 'answers another call',
    script: ({ response, id }) => void response.end(`{"jsonrpc":"2.0","id":${id + 1},"result":"0x0"}`),
  },
  { how: 'breaks off within a short answer', script: breakOff(1_000) },
]

function rpcErrorWith(status: number, code: number): HttpScript {
  return (peerCall) =>
    refuseWith(
      status,
      JSON.stringify({ jsonrpc: '2.0', id: peerCall.id, error: { code, message: 'too much' } }),
    )(peerCall)
}

function breakOff(length: number): HttpScript {
  return ({ id, response }) => {
    response.writeHead(200, { 'content-length': length })
    response.write(`{"jsonrpc":"2.0","id":${id},"result":"0x`, () => response.destroy())
  }
}

/** What is never said of an outage: that it worked, or that the method does not exist. */
async function expectOutage(url: string, statuses: readonly number[], body = read): Promise<void> {
  const reply = await post(url, body)
  expect(statuses).toContain(reply.status)
  expect(reply.headers['content-type']).toBe('application/json')
  const { id } = body as { id: string }
  expect(JSON.parse(reply.text)).toEqual({
    jsonrpc: '2.0',
    id,
    error: {
      code: expect.any(Number),
      message: expect.any(String),
      data: { traceId: reply.headers['x-trace-id'] },
    },
  })
  expect((JSON.parse(reply.text) as RpcAnswer).error!.code).not.toBe(-32601)
  if (reply.status !== 504) expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1)
}

describe('a read', () => {
  it('goes to the second upstream where the first refuses connections', async () => {
    await using second = await startPeer(answer('0x2'))
    await using gateway = await startGatewayBefore([await deadUrl(), second.httpUrl])
    const { status, text } = await post(httpUrl(gateway), read)
    expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":"r","result":"0x2"}'])
  })

  it.each(failures)('goes to the second upstream where the first $how', async ({ script }) => {
    await using first = await startPeer(script)
    await using second = await startPeer(answer('0x2'))
    await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl])
    const { status, text } = await post(httpUrl(gateway), read)
    expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":"r","result":"0x2"}'])
    expect([first.calls, second.calls]).toEqual([['eth_getBalance'], ['eth_getBalance']])
  })

  it('goes to the second upstream where the first hangs, before the time allowed has passed', async () => {
    await using first = await startPeer(hang)
    await using second = await startPeer(answer('0x2'))
    await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl], {
      limits: { requestTimeoutMs: 2_000 },
    })
    const { status, text } = await post(httpUrl(gateway), read)
    expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":"r","result":"0x2"}'])
  })

  it('goes to the second upstream where the first is a WebSocket that drops', async () => {
    await using first = await startPeer(undefined, (_call, socket) => socket.terminate())
    await using second = await startPeer(answer('0x2'))
    await using gateway = await startGatewayBefore([first.wsUrl, second.httpUrl])
    const { status, text } = await post(httpUrl(gateway), read)
    expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":"r","result":"0x2"}'])
  })

  it('goes to the second upstream also over WebSocket and in a batch', async () => {
    await using first = await startPeer(refuseWith(503, 'busy'))
    await using second = await startPeer(answer('0x2'))
    await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl])
    await using socket = await openSocket(wsUrl(gateway))
    expect(await socket.ask('eth_getBalance', ['0x1', 'latest'])).toEqual({ jsonrpc: '2.0', id: 1, result: '0x2' })
    const { status, text } = await post(httpUrl(gateway), [read, call('eth_gasPrice', [], 'g')])
    expect(status).toBe(200)
    expect(text).toBe('[{"jsonrpc":"2.0","id":"r","result":"0x2"},{"jsonrpc":"2.0","id":"g","result":"0x2"}]')
  })

  it('keeps the error of a node that answered', async () => {
    await using first = await startPeer(({ id, response }) => {
      response.end(
        `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"execution reverted","data":{"z":1,"a":[]}}}`,
      )
    })
    await using second = await startPeer(answer('0x2'))
    await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl])
    const { status, text } = await post(httpUrl(gateway), read)
    expect(status).toBe(200)
    expect(text).toBe(
      '{"jsonrpc":"2.0","id":"r","error":{"code":-32000,"message":"execution reverted","data":{"z":1,"a":[]}}}',
    )
    expect(second.calls).toEqual([])
  })

  it('asks an upstream again once it has come back', async () => {
    let isDown = true
    await using first = await startPeer((peerCall) => (isDown ? reset : answer('0x1'))(peerCall))
    await using second = await startPeer(answer('0x2'))
    await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl])
    expect((await post(httpUrl(gateway), read)).text).toContain('0x2')
    isDown = false
    const results: string[] = []
    for (const end = performance.now() + 40_000; performance.now() < end && results.at(-1) !== '0x1';) {
      const { text } = await post(httpUrl(gateway), read)
      results.push((JSON.parse(text) as { result: string }).result)
    }
    expect(results.at(-1)).toBe('0x1')
  })
})

describe('eth_sendRawTransaction', () => {
  it.each(failures.filter(({ how }) => !how.startsWith('answers 429')))(
    'is not sent again where the first upstream $how',
    async ({ script }) => {
      await using first = await startPeer(script)
      await using second = await startPeer(answer('0xhash'))
      await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl])
      await expectOutage(httpUrl(gateway), [502, 503], write)
      expect([first.calls, second.calls]).toEqual([['eth_sendRawTransaction'], []])
    },
  )

  it('goes to the next upstream where the first one refuses our key', async () => {
    await using first = await startPeer(rpcErrorWith(429, -32005))
    await using second = await startPeer(answer('0xhash'))
    await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl])
    expect((await post(httpUrl(gateway), write)).text).toContain('0xhash')
    expect([first.calls, second.calls]).toEqual([['eth_sendRawTransaction'], ['eth_sendRawTransaction']])
  })

  it('is not sent again where the first upstream hangs', async () => {
    await using first = await startPeer(hang)
    await using second = await startPeer(answer('0xhash'))
    await using gateway = await startGatewayBefore([first.httpUrl, second.httpUrl], {
      limits: { requestTimeoutMs: 500 },
    })
    await expectOutage(httpUrl(gateway), [504], write)
    expect([first.calls, second.calls]).toEqual([['eth_sendRawTransaction'], []])
  })

  it('goes to the second upstream where the first cannot have seen it', async () => {
    for (const dead of [await deadUrl('http'), await deadUrl('ws')]) {
      await using second = await startPeer(answer('0xhash'))
      await using gateway = await startGatewayBefore([dead, second.httpUrl])
      expect((await post(httpUrl(gateway), write)).text).toBe('{"jsonrpc":"2.0","id":"w","result":"0xhash"}')
      expect(second.calls).toEqual(['eth_sendRawTransaction'])
    }
  })

  it('arrives once where an idle connection to the upstream has been closed', async () => {
    await using peer = await startPeer(({ id, request, response }) => {
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0xhash' }), () =>
        setTimeout(() => request.socket.destroy(), 20),
      )
    })
    await using gateway = await startGatewayBefore([peer.httpUrl])
    for (let i = 1; i <= 3; i++) {
      expect((await post(httpUrl(gateway), write)).text).toBe('{"jsonrpc":"2.0","id":"w","result":"0xhash"}')
      await new Promise((resolve) => setTimeout(resolve, 60))
      expect(peer.calls.length).toBe(i)
    }
  })
})

describe('an outage', () => {
  it.each(failures)(
    'of every upstream is 502 or 503 with a JSON-RPC body and Retry-After: each $how',
    async ({ script }) => {
      await using first = await startPeer(script)
      await using second = await startPeer(script)
      await using both = await startGatewayBefore([first.httpUrl, second.httpUrl])
      await expectOutage(httpUrl(both), [502, 503])
      await using one = await startGatewayBefore([first.httpUrl])
      await expectOutage(httpUrl(one), [502, 503])
    },
  )

  it.each(['http', 'ws'] as const)('of upstreams that refuse connections (%s) is 502 or 503', async (protocol) => {
    await using one = await startGatewayBefore([await deadUrl(protocol)])
    await expectOutage(httpUrl(one), [502, 503])
    await using both = await startGatewayBefore([await deadUrl(protocol), await deadUrl(protocol)])
    await expectOutage(httpUrl(both), [502, 503])
    await expectOutage(httpUrl(both), [502, 503], write)
  })

  it('passes on how long the upstream asked to wait', async () => {
    await using peer = await startPeer(
      ({ response }) => void response.writeHead(429, { 'retry-after': '7' }).end('slow down'),
    )
    await using gateway = await startGatewayBefore([peer.httpUrl])
    const { status, headers } = await post(httpUrl(gateway), read)
    expect([status, headers['retry-after']]).toEqual([503, '7'])
  })

  it('is a JSON-RPC error in a batch and over WebSocket', async () => {
    await using gateway = await startGatewayBefore([await deadUrl()])
    const { text, headers } = await post(httpUrl(gateway), [read, call('eth_gasPrice', [], 'g')])
    const error = (id: unknown, nth: number) => ({ code: -32603, data: { traceId: `${id}.${nth}` } })
    expect(JSON.parse(text)).toMatchObject([
      { id: 'r', error: error(headers['x-trace-id'], 1) },
      { id: 'g', error: error(headers['x-trace-id'], 2) },
    ])
    await using socket = await openSocket(wsUrl(gateway))
    expect(await socket.ask('eth_gasPrice')).toMatchObject({ error: error(socket.traceId, 1) })
    expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ error: error(socket.traceId, 2) })
  })

  it('of an upstream that hangs is 504 at the deadline, not before', async () => {
    await using peer = await startPeer(hang)
    await using gateway = await startGatewayBefore([peer.httpUrl], { limits: { requestTimeoutMs: 400 } })
    let isSoon = true
    setTimeout(() => (isSoon = false), 300)
    await expectOutage(httpUrl(gateway), [504])
    expect(isSoon).toBe(false)
    await using socket = await openSocket(wsUrl(gateway))
    const reported = { code: -32002, message: 'no upstream answered: 1 timed out' }
    expect(await socket.ask('eth_gasPrice')).toMatchObject({ error: reported })
  })

  it('of an upstream that hangs within its answer is 504 at the deadline', async () => {
    await using peer = await startPeer(({ id, response }) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(`{"jsonrpc":"2.0","id":${id},"result":"0x`)
    })
    await using gateway = await startGatewayBefore([peer.httpUrl], { limits: { requestTimeoutMs: 400 } })
    await expectOutage(httpUrl(gateway), [504])
  })

  it('is told by /readyz, with no URL', async () => {
    await using up = await startPeer(answer('0x1'))
    await using ready = await startGatewayBefore([await deadUrl(), up.httpUrl])
    const get = { method: 'GET' }
    expect(await post(`${ready.rpc}/readyz`, '', get)).toMatchObject({ status: 200, text: 'net: ok\n' })
    const dead = await deadUrl()
    await using unready = await startGatewayBefore([dead])
    const { status, text } = await post(`${unready.rpc}/readyz`, '', get)
    expect(status).toBe(503)
    expect(text).toContain('net: no connection could be made')
    expect(text).not.toContain(new URL(dead).port)
    expect(await post(`${unready.rpc}/healthz`, '', get)).toMatchObject({ status: 200 })
  })
})

describe('/readyz', () => {
  it('answers also where an upstream hangs and the time allowed to calls is short', async () => {
    await using peer = await startPeer(hang)
    await using gateway = await startGatewayBefore([peer.httpUrl], { limits: { requestTimeoutMs: 200 } })
    const { status, text } = await post(`${gateway.rpc}/readyz`, '', { method: 'GET' })
    expect([status, text]).toEqual([503, 'net: no answer within the time allowed\n'])
  })
})

describe('identical reads at one time', () => {
  it('become one, and the first caller that leaves does not end it for the other', async () => {
    let finish: () => void = () => {}
    await using peer = await startPeer((peerCall) => (finish = () => answer('0x5')(peerCall)))
    await using gateway = await startGatewayBefore([peer.httpUrl])
    await using leaver = await openSocket(wsUrl(gateway))
    const left = leaver.ask('eth_getBalance', ['0x1', 'latest']).catch(() => 'left')
    await arrived(peer, 1)
    const stays = post(httpUrl(gateway), read)
    await new Promise((resolve) => setTimeout(resolve, 50))
    leaver.socket.terminate()
    await once(leaver.socket, 'close')
    expect(await left).toBe('left')
    await new Promise((resolve) => setTimeout(resolve, 50))
    finish()
    expect((await stays).text).toBe('{"jsonrpc":"2.0","id":"r","result":"0x5"}')
    expect(peer.calls).toEqual(['eth_getBalance'])
  })
})

async function arrived(peer: Peer, count: number): Promise<void> {
  while (peer.calls.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
}
