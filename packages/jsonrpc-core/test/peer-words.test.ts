import { createBatchingTransport, createContext, createHttpTransport, type RpcHandler } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { serveHttp } from './real-server.ts'
import { call } from './support.ts'
import { outcome, peer } from './websocket-peer.ts'

const messageOf = (handler: RpcHandler): Promise<string> =>
  handler(call('m'), createContext()).then(
    () => expect.unreachable('the call succeeded'),
    (why: unknown) => (why as Error).message,
  )

describe('the words of a peer', () => {
  it.each([
    ['invalid project id', 'INVALID PROJECT ID'],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"unknown network"}}', 'UNKNOWN NETWORK'],
  ])('beside an error status stand in the message as the host prepares them: %j', async (body, reported) => {
    const { url } = await serveHttp((_request, response) => response.writeHead(401).end(body))
    const words = (text: string): string => text.toUpperCase()
    for (const create of [createHttpTransport, createBatchingTransport]) {
      expect(await messageOf(create({ url, words }))).toBe(`HTTP status 401 came instead of an answer: ${reported}`)
      expect(await messageOf(create({ url }))).toBe('HTTP status 401 came instead of an answer')
      expect(await messageOf(create({ url, words: () => '' }))).toBe('HTTP status 401 came instead of an answer')
    }
  })

  it('when it closes a WebSocket stand there, too', async () => {
    for (const [words, reported] of [
      [(text: string) => text.toUpperCase(), 'the connection closed (1008: NO)'],
      [undefined, 'the connection closed (1008)'],
    ] as const) {
      const { ask } = await peer((socket) => socket.close(1008, 'no'), words === undefined ? {} : { words })
      expect(await messageOf(() => ask())).toBe(reported)
    }
  })
})

describe('a WebSocket that cannot be opened', () => {
  it('tells the status of its refusal', async () => {
    const { url } = await serveHttp((_request, response) => response.end())
    const { transport } = await peer(() => {}, { url: url.replace('http', 'ws') })
    const asked = transport.handler(call('m'), createContext())
    await expect(asked).rejects.toMatchObject({
      code: 'connect',
      delivery: 'not_sent',
      httpStatus: 200,
      message: 'no WebSocket connection could be made: HTTP status 200 came',
    })
    expect(await outcome(transport.handler(call('m'), createContext()))).toBe('connect not_sent')
  })

  it('tells the code of the system', async () => {
    const { transport } = await peer(() => {}, { url: 'ws://127.0.0.1:1' })
    expect(await messageOf(transport.handler)).toBe('no WebSocket connection could be made (ECONNREFUSED)')
  })
})
