import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

export interface ReceivedCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
  /** The time of arrival, by `Date.now()`. */
  readonly at: number
}

/** One POST: its calls, and the means to answer them. */
export interface ReceivedPost {
  readonly calls: readonly ReceivedCall[]
  readonly isBatch: boolean
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export interface ReceivedMessage {
  readonly call: ReceivedCall
  readonly socket: WebSocket
  /** The connection below the WebSocket. */
  readonly connection: Duplex
  /** The number of the connection, from 1. */
  readonly connectionNumber: number
}

/** Ordinary results of the calls that libraries make by themselves. */
const ordinary: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x1',
  net_version: '1',
  eth_blockNumber: '0x10',
  eth_getBalance: '0x2a',
  eth_gasPrice: '0x1',
}

/** Prints the response to one call, with its result or any other members. */
export function printAnswer({ id }: Pick<ReceivedCall, 'id'>, members: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...members })
}

export function ordinaryAnswer(call: ReceivedCall): string {
  return printAnswer(call, { result: ordinary[call.method] ?? null })
}

/** Sends a body as the HTTP answer. */
export function sendBody(
  response: ServerResponse,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Answers each call of a POST with its own text; a batch with an array. */
export function answerEach({ calls, isBatch, response }: ReceivedPost, textOf: (call: ReceivedCall) => string): void {
  const texts = calls.map(textOf)
  sendBody(response, isBatch ? `[${texts.join(',')}]` : texts[0]!)
}

/** A scripted node over HTTP and WebSocket at one port, which records all calls. */
export class HostileNode implements AsyncDisposable {
  readonly received: ReceivedCall[] = []
  /** Handles a POST. By default, answers like an ordinary node. */
  onPost: (post: ReceivedPost) => void = (post) => answerEach(post, ordinaryAnswer)
  onMessage: (message: ReceivedMessage) => void = ({ call, socket }) => socket.send(ordinaryAnswer(call))
  readonly #connections = new Set<Socket>()
  #server = this.#createServer()
  #port = 0
  #socketCount = 0

  static async start(): Promise<HostileNode> {
    const node = new HostileNode()
    await node.listen()
    return node
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.#port}`
  }

  /** Lists the recorded calls of one method. */
  callsOf(method: string): readonly ReceivedCall[] {
    return this.received.filter((call) => call.method === method)
  }

  /** Breaks every connection, and accepts no more until `listen`. */
  async vanish(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.breakConnections()
    await closed
  }

  breakConnections(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  /** Listens on a free port; later calls listen on the same port again. */
  async listen(): Promise<void> {
    if (this.#port !== 0) this.#server = this.#createServer()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.vanish()
  }

  #createServer() {
    const server = createServer((request, response) => {
      request.on('error', () => {})
      response.on('error', () => {})
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        const { calls, isBatch } = this.#record(body)
        this.onPost({ calls, isBatch, request, response })
      })
    })
    const webSockets = new WebSocketServer({ server, perMessageDeflate: false })
    webSockets.on('connection', (socket, request) => {
      const connectionNumber = ++this.#socketCount
      socket.on('error', () => {})
      socket.on('message', (data: Buffer) => {
        for (const call of this.#record(data.toString()).calls) {
          this.onMessage({ call, socket, connection: request.socket, connectionNumber })
        }
      })
    })
    server.on('connection', (connection) => {
      this.#connections.add(connection)
      connection.on('error', () => {})
      connection.on('close', () => this.#connections.delete(connection))
    })
    return server
  }

  #record(body: string): Pick<ReceivedPost, 'calls' | 'isBatch'> {
    const at = Date.now()
    const parsed = JSON.parse(body) as ReceivedCall | readonly ReceivedCall[]
    const calls = [parsed].flat().map((call) => ({ ...call, at })) as readonly ReceivedCall[]
    this.received.push(...calls)
    return { calls, isBatch: Array.isArray(parsed) }
  }
}
