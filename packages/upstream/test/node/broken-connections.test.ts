// Kept connections that break under a call: by FIN while idle, by RST while idle, and upon the request.
import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createContext, createHttpTransport, RpcError, type RpcRequest } from '@wayleave/jsonrpc-core'
import { isStale, repeatStale } from '@wayleave/upstream'
import { createUndiciPort } from '@wayleave/upstream/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { call, rejectionOf, resultOf } from '../support.ts'

/** The end of a connection, after so many calls: the next request on it finds it broken. */
type Ending = (socket: Socket) => void

interface Node {
  readonly url: string
  /** The params of the calls that arrived whole, in their order. */
  readonly arrived: readonly string[]
  readonly accepted: number
  /** Takes no further connections. */
  stop(): void
}

/** A node that answers `callsEach` calls on each connection. `end` breaks it: upon the next request, or at once after the last answer. */
async function startNode(callsEach: number, end: Ending, when: 'upon a request' | 'while idle'): Promise<Node> {
  const arrived: string[] = []
  let accepted = 0
  const server = createServer((socket) => {
    accepted++
    let served = 0
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (;;) {
        const head = text.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (head < 0 || text.length < head + 4 + length) return
        const body = text.slice(head + 4, head + 4 + length)
        text = text.slice(head + 4 + length)
        if (served === callsEach) return end(socket)
        served++
        const { id, params } = JSON.parse(body) as { readonly id: number; readonly params: readonly string[] }
        arrived.push(params[0]!)
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result: params[0] })
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`)
        if (served === callsEach && when === 'while idle') end(socket)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    stop: () => void server.close(),
    get accepted() {
      return accepted
    },
  }
}

function openTransport(url: string, mayRepeat: (request: RpcRequest) => boolean, connections = 16) {
  const port = createUndiciPort({ connections })
  onTestFinished(() => port.close())
  const handler = repeatStale(createHttpTransport({ url, http: port.http }), { mayRepeat })
  return async (method: string, param: string): Promise<unknown> => {
    const context = createContext({ timeoutMs: 15_000 })
    try {
      return resultOf(await handler(call(method, [param]), context))
    } finally {
      context.release()
    }
  }
}

const fin: Ending = (socket) => void socket.end()
const rst: Ending = (socket) => void socket.resetAndDestroy()
const isRead = ({ method }: RpcRequest): boolean => method === 'eth_call'

describe.each([
  ['FIN', 'while idle', fin],
  ['RST', 'while idle', rst],
  ['FIN', 'upon a request', fin],
  ['RST', 'upon a request', rst],
] as const)('a node that ends kept connections by %s %s', (_, when, end) => {
  it('fails no read, of calls one after another and of calls at once', async () => {
    const node = await startNode(3, end, when)
    const ask = openTransport(node.url, isRead)
    for (let i = 0; i < 200; i++) expect(await ask('eth_call', `${i}`)).toBe(`${i}`)
    for (let round = 0; round < 50; round++) {
      const params = Array.from({ length: 16 }, (__, i) => `${round}.${i}`)
      expect(await Promise.all(params.map((param) => ask('eth_call', param)))).toEqual(params)
    }
  })
})

describe('a call on a kept connection that breaks', () => {
  it('is reported as failed on a stale connection where it may not be repeated', async () => {
    const node = await startNode(1, rst, 'upon a request')
    const ask = openTransport(node.url, isRead, 1)
    await ask('eth_call', 'first')
    const why = await rejectionOf(ask('eth_sendTransaction', 'once'))
    expect(why).toBeInstanceOf(RpcError)
    expect(why).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
    expect(isStale(why)).toBe(true)
    expect(node.arrived).toEqual(['first'])
  })

  it('is sent once more at most', async () => {
    const node = await startNode(0, rst, 'upon a request')
    const ask = openTransport(node.url, isRead)
    // A new connection that breaks is the failure of its node.
    const why = await rejectionOf(ask('eth_call', 'first'))
    expect(why).toMatchObject({ code: 'disconnected' })
    expect(isStale(why)).toBe(false)
    expect(node.accepted).toBe(1)
  })

  it('may have arrived although its repeat is sent nowhere', async () => {
    const node = await startNode(
      1,
      (socket) => {
        node.stop()
        socket.resetAndDestroy()
      },
      'upon a request',
    )
    const ask = openTransport(node.url, () => true, 1)
    await ask('eth_call', 'first')
    const why = await rejectionOf(ask('eth_sendRawTransaction', '0x1'))
    expect(why).toMatchObject({ code: 'connect', delivery: 'unknown' })
  })

  it('is not repeated once its answer has begun', async () => {
    let requests = 0
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => {
        requests++
        if (requests === 1)
          socket.write(
            'HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n{"jsonrpc":"2.0","id":1,"result":"1"}'.slice(0, -1),
          )
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 37\r\n\r\n{"json', () => socket.resetAndDestroy())
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const ask = openTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, isRead, 1)
    await rejectionOf(ask('eth_call', 'first'))
    expect(isStale(await rejectionOf(ask('eth_call', 'second')))).toBe(false)
    expect(requests).toBe(2)
  })
})
