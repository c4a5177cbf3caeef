import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { answerEach, printAnswer, type ReceivedCall } from '../src/client-faults/hostile-node.ts'
import type { Behaviour } from './fault.ts'
import { hashOf } from './questions.ts'

/** The head of a node that stands where it should. */
const trueHead = 0x40

/** Values of callers' calls by method: the true ones, and those of a node that stands still. */
export const values = {
  true: { eth_getBalance: '0x2a', eth_getTransactionCount: '0x7', eth_getCode: '0x6001' },
  stale: { eth_getBalance: '0x29', eth_getTransactionCount: '0x6', eth_getCode: '0x6000' },
} as const

/** Methods by which callers ask; all others are the gateway's, or a library's by itself. */
const callers = new Set([...Object.keys(values.true), 'eth_sendRawTransaction'])

/** A node over HTTP and WebSocket at one port, which is well until it is told a behaviour. */
export class TableNode implements AsyncDisposable {
  /** Callers' calls that came, by their first parameter, which names the caller. */
  readonly asked: unknown[] = []
  /** Connections that came after the behaviour began. */
  badConnections = 0
  readonly #standing: Pick<Behaviour, 'chainId' | 'head'>
  readonly #open = new Set<Socket>()
  #behaviour: Behaviour = {}
  #server!: Server
  port = 0

  private constructor(standing: Pick<Behaviour, 'chainId' | 'head'>) {
    this.#standing = standing
  }

  /** `standing`: a chain or a head that differs from the beginning. */
  static async start(standing: Pick<Behaviour, 'chainId' | 'head'> = {}): Promise<TableNode> {
    const node = new TableNode(standing)
    const http = node.#createHttp()
    node.#server = createServer((connection) => {
      node.#open.add(connection)
      connection.on('error', () => {})
      connection.on('close', () => node.#open.delete(connection))
      const { onConnection } = node.#behaviour
      if (onConnection === undefined) http.emit('connection', connection)
      else {
        node.badConnections++
        onConnection(connection)
      }
    })
    node.#server.listen(0, '127.0.0.1')
    await once(node.#server, 'listening')
    node.port = (node.#server.address() as AddressInfo).port
    return node
  }

  /** Begins a behaviour, and forgets what was asked before. */
  async behave(behaviour: Behaviour): Promise<void> {
    this.#behaviour = behaviour
    this.asked.length = 0
    if (behaviour.isGone === true) await this.#stop()
    else if (behaviour.onConnection !== undefined) this.#cut()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.#stop()
  }

  #cut(): void {
    for (const connection of this.#open) connection.destroy()
  }

  async #stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#cut()
    await closed
  }

  #createHttp() {
    const http = createHttpServer((request, response) => {
      request.on('error', () => {})
      response.on('error', () => {})
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        const parsed = JSON.parse(body) as ReceivedCall | readonly ReceivedCall[]
        const calls = [parsed].flat()
        const post = { calls, isBatch: Array.isArray(parsed), request, response }
        const { onPost } = this.#behaviour
        const areCallers = calls.filter((call) => this.#isCallers(call)).length > 0
        if (areCallers && onPost !== undefined) onPost(post)
        else answerEach(post, (each) => this.#answerTo(each))
      })
    })
    new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket: WebSocket) => {
      socket.on('error', () => {})
      socket.on('message', (data: Buffer) => {
        const call = JSON.parse(data.toString()) as ReceivedCall
        const { onMessage } = this.#behaviour
        if (this.#isCallers(call) && onMessage !== undefined) onMessage(this.#answerTo(call), socket)
        else socket.send(this.#answerTo(call))
      })
    })
    return http
  }

  #isCallers({ method, params }: ReceivedCall): boolean {
    if (!callers.has(method)) return false
    this.asked.push(params[0])
    return true
  }

  /** The answer of a node that is well. */
  #answerTo(call: ReceivedCall): string {
    const { chainId = '0x1', head = trueHead } = this.#standing
    const own: Readonly<Record<string, string>> = values[head === trueHead ? 'true' : 'stale']
    if (call.method === 'eth_getBlockByNumber') return printAnswer(call, { result: blockAt(head) })
    if (call.method === 'eth_sendRawTransaction') return printAnswer(call, { result: hashOf(String(call.params[0])) })
    const result = { ...own, eth_chainId: chainId, eth_blockNumber: hex(head) }[call.method]
    return printAnswer(call, { result: result ?? null })
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`
const hashAt = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

function blockAt(number: number): object {
  return { number: hex(number), hash: hashAt(number), parentHash: hashAt(number - 1), timestamp: hex(number * 12) }
}
