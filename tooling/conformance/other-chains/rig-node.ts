import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { type WebSocket, WebSocketServer } from 'ws'
import { createAnswers, type RigFilters } from './rig-answers.ts'
import { hex, logsIn, type LogFilter, type Outcome, type RigBlock, type RigChain, reportedBlock } from './rig-chain.ts'

/** A node of a chain, over HTTP and WebSocket. */
export interface RigNode extends AsyncDisposable {
  readonly url: string
  readonly ws: string
  /** Takes the chain's blocks up to here as its own, and tells its subscribers. */
  follow(): void
  /** Tells its subscribers of the part that the block in making got. */
  reportPart(): void
  /** Calls that it was sent, by method. */
  readonly calls: Map<string, number>
}

export interface RigNodeOptions {
  /** Whether it tells parts of a block before it is sealed. */
  readonly flashblocks?: boolean
  /** Parts by which it is behind the others. */
  readonly partsBehind?: number
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Subscription {
  readonly kind: string
  readonly filter: LogFilter
  readonly socket: WebSocket
}

export async function startRigNode(
  chain: RigChain,
  { flashblocks = false, partsBehind = 0 }: RigNodeOptions = {},
): Promise<RigNode> {
  const calls = new Map<string, number>()
  const subscriptions = new Map<string, Subscription>()
  const filters: RigFilters = new Map()
  let height = chain.blocks.length
  /** The part of the block in making that subscribers were told. */
  let reported = { number: 0, receipts: 0 }
  let ids = 0
  const pending = (): RigBlock => chain.pendingBefore?.(partsBehind) ?? chain.pending
  const answers = createAnswers(chain, { flashblocks, pending, filters, blocks: () => chain.blocks.slice(0, height) })

  function outcomeOf({ method, params = [] }: Call, socket: WebSocket | undefined): Outcome {
    calls.set(method, (calls.get(method) ?? 0) + 1)
    if (method === 'eth_unsubscribe') return { result: subscriptions.delete(params[0] as string) }
    if (method !== 'eth_subscribe') return answers(method, params)
    if (socket === undefined) return { error: { code: -32601, message: 'notifications not supported' } }
    const id = hex(0x1000 + ++ids)
    subscriptions.set(id, { kind: params[0] as string, filter: (params[1] ?? {}) as LogFilter, socket })
    return { result: id }
  }

  function reply(text: string, socket?: WebSocket): string {
    const body = JSON.parse(text) as Call | readonly Call[]
    const answer = (call: Call): object => ({ jsonrpc: '2.0', id: call.id, ...outcomeOf(call, socket) })
    return JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body as Call))
  }

  function push(kind: string, resultsFor: (filter: LogFilter) => readonly unknown[]): void {
    for (const [subscription, { kind: own, filter, socket }] of subscriptions) {
      if (own !== kind) continue
      for (const result of resultsFor(filter)) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
      }
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(reply(Buffer.concat(chunks).toString()))
    })
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => socket.send(reply(data.toString(), socket)))
    socket.on('close', () => {
      for (const [id, one] of subscriptions) if (one.socket === socket) subscriptions.delete(id)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    calls,
    follow() {
      const fresh: readonly RigBlock[] = chain.blocks.slice(height)
      height = chain.blocks.length
      for (const block of fresh) {
        push('newHeads', () => [reportedBlock(block, chain.pushesTransactions)])
        push('logs', (filter) => logsIn(block, filter))
      }
    },
    reportPart() {
      if (!flashblocks) return
      const block = pending()
      push('newFlashblocks', () => [reportedBlock(block, true)])
      const from = reported.number === block.number ? reported.receipts : 0
      push('pendingLogs', (filter) => logsIn({ ...block, receipts: block.receipts.slice(from) }, filter))
      reported = { number: block.number, receipts: block.receipts.length }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
