import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface PeerCall {
  readonly id: number
  readonly method: string
  readonly params?: unknown
}

/** An HTTP peer; `answer` gets each POST's call or batch with its number from 1, and answers through `response`. */
export async function serveCalls(
  answer: (body: PeerCall | readonly PeerCall[], nth: number, response: ServerResponse, text: string) => void,
): Promise<{ url: string; posts: () => number }> {
  let posts = 0
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => answer(JSON.parse(text) as PeerCall, ++posts, response, text))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts: () => posts }
}

/** The text of one answer. */
export function answerTo({ id }: PeerCall, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** A TCP relay before a node: `cut` breaks its connections, `end` refuses further ones, too. */
export async function relay(
  to: string,
): Promise<{ url: string; cut: () => void; end: () => void; connections: () => number }> {
  const { hostname, port } = new URL(to)
  const open = new Set<Socket>()
  let connections = 0
  const server = createTcpServer((near) => {
    connections++
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket)).on('error', () => {})
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  const end = (): void => {
    server.close()
    cut()
  }
  onTestFinished(end)
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, end, connections: () => connections }
}
