import type { AddressInfo, Socket } from 'node:net'
import { createContext, RpcError, type RpcResponse, type RpcSink } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport, type WebSocketTransportOptions } from '@wayleave/jsonrpc-core/websocket'
import { onTestFinished } from 'vitest'
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws'
import { call, resultText } from './support.ts'

export const gone = new RpcError('aborted', 'the caller left')
const subscriptions = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }
interface Frame {
  readonly id: number
  readonly method: string
  readonly params: unknown[]
}
export const answer = (id: number, result = '"ok"'): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
export const push = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`

/** A real WebSocket server; `react` gets each frame. The transport is closed with the test. */
export async function peer(
  react: (socket: ServerSocket, frame: Frame) => void,
  options: Partial<WebSocketTransportOptions> = {},
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const frames: Frame[] = []
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame
      frames.push(frame)
      react(socket, frame)
    })
  })
  await new Promise((resolve) => void server.once('listening', resolve))
  const transport = createWebSocketTransport({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/SECRET-KEY`,
    subscriptions,
    ...options,
  })
  onTestFinished(async () => {
    await transport.close()
    for (const client of server.clients) client.terminate()
    await new Promise((resolve) => void server.close(resolve))
  })
  const ask = (method = 'm', context = createContext({ timeoutMs: 15_000 }), params: unknown = []) =>
    transport.handler(call(method, params), context)
  return {
    server,
    frames,
    transport,
    ask,
    get connections() {
      return connections
    },
  }
}
export const outcome = (response: Promise<RpcResponse>): Promise<string> =>
  response.then(
    (settled) => (settled.error === undefined ? resultText(settled) : `error ${settled.error.code}`),
    (why: unknown) => (why instanceof RpcError ? `${why.code} ${why.delivery}` : String(why)),
  )
export function listen(log: string[]): RpcSink {
  return {
    event: (method, result) => log.push(`${method} ${result.text()}`) > 0,
    gap: () => log.push('gap'),
    end: (why) => log.push(`end ${why?.code}`),
  }
}

/** The TCP socket below a WebSocket of `ws`, for what `ws` would not do. */
export function rawOf(socket: ServerSocket): Socket {
  return Reflect.get(socket, '_socket') as Socket
}
