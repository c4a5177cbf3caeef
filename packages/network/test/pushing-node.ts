import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

interface Call {
  readonly id: number
  readonly method: string
  readonly params?: unknown[]
}

/** A node that speaks WebSocket and pushes: subscriptions are numbered 0x1, 0x2 and so on. */
export interface PushingNode {
  readonly url: string
  readonly calls: string[]
  readonly open: Set<string>
  readonly unsubscribed: string[]
  /** While set, calls are kept here instead of answered. */
  held: (() => void)[] | undefined
  /** Gives the result of a call; its method by default. */
  answer: (method: string) => unknown
  push(id: string, result: unknown): void
  /** Ends every connection. */
  drop(): void
  close(): Promise<void>
}

export async function startPushingNode(): Promise<PushingNode> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const owners = new Map<string, WebSocket>()
  let last = 0
  const node: PushingNode = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    open: new Set(),
    unsubscribed: [],
    held: undefined,
    answer: (method) => method,
    push(id, result) {
      owners
        .get(id)
        ?.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: id, result } }))
    },
    drop() {
      for (const client of server.clients) client.terminate()
    },
    close: () =>
      new Promise((resolve) => {
        node.drop()
        server.close(() => resolve())
      }),
  }

  function answer(socket: WebSocket, { id, method, params }: Call): void {
    let result = node.answer(method)
    if (method === 'eth_subscribe') {
      result = `0x${(++last).toString(16)}`
      owners.set(result as string, socket)
      node.open.add(result as string)
    } else if (method === 'eth_unsubscribe') {
      const subscription = params![0] as string
      node.open.delete(subscription)
      node.unsubscribed.push(subscription)
      result = true
    }
    socket.send(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`)
  }

  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const call = JSON.parse(data.toString()) as Call
      node.calls.push(call.method)
      if (node.held === undefined) answer(socket, call)
      else node.held.push(() => answer(socket, call))
    })
  })
  return node
}
