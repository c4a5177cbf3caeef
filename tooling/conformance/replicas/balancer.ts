import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A balancer that gives requests to replicas in turns, and each to the next one where a replica is dead. */
export interface Balancer extends AsyncDisposable {
  /** `http://host:port`, and the same with `ws:`. */
  readonly url: string
  readonly ws: string
  /** The answers that each replica has given, in their order; a WebSocket counts once. */
  readonly answered: readonly number[]
}

/** Starts a balancer before ports of the loopback interface. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const answered = ports.map(() => 0)
  const sockets = new Set<Duplex>()
  const agents = ports.map(() => new Agent({ keepAlive: true }))
  let turn = 0

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const first = turn++
    for (let i = 0; i < ports.length; i++) {
      const at = (first + i) % ports.length
      const answer = await ask(at, incoming, body)
      if (answer === undefined) continue
      answered[at]!++
      response.writeHead(answer.statusCode!, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
      return
    }
    response.writeHead(502).end()
  }

  /** Resolves with the head of an answer; undefined where the replica died before. */
  function ask(at: number, { method, url, headers }: IncomingMessage, body: Buffer) {
    return new Promise<IncomingMessage | undefined>((resolve) => {
      const options = { host: '127.0.0.1', port: ports[at]!, agent: agents[at]!, method, path: url, headers }
      const asked = request(options, resolve)
      asked.on('error', () => resolve(undefined))
      asked.end(body)
    })
  }

  async function upgrade({ url, headers }: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    const first = turn++
    for (let i = 0; i < ports.length; i++) {
      const at = (first + i) % ports.length
      const target = connect(ports[at]!, '127.0.0.1')
      try {
        await once(target, 'connect')
      } catch {
        continue
      }
      answered[at]!++
      target.on('error', () => target.destroy())
      target.on('close', () => socket.destroy())
      socket.on('close', () => target.destroy())
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
      target.write(`GET ${url} HTTP/1.1\r\n${lines.join('')}\r\n`)
      target.write(head)
      target.pipe(socket)
      socket.pipe(target)
      return
    }
    socket.destroy()
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  server.on('upgrade', (incoming, socket, head) => void upgrade(incoming, socket as Socket, head))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    answered,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      for (const agent of agents) agent.destroy()
    },
  }
}
