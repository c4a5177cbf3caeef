import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

interface ModelLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
  readonly removed: boolean
}

export interface ModelBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly logs: readonly ModelLog[]
}

/** `plain`: refuses a place, as geth does for heads; `deaf`: ignores it; `resuming`: goes on from it. */
export type ServerKind = 'plain' | 'deaf' | 'resuming'

/** Heights without a block. */
export interface Holes {
  /** Whether no block is made at a height, after so many were made. */
  isEmpty(number: number, made: number): boolean
  /** The error by which the node says so, as lotus does; else it says null. */
  readonly error?: { readonly code: number; readonly message: string }
}

export interface ChainServer {
  readonly url: string
  /** The chain as it is, from block 0; heights without a block are left out. */
  readonly chain: readonly ModelBlock[]
  /** The calls that came, by method. */
  readonly calls: Map<string, number>
  /** The params of each subscription that was opened. */
  readonly subscriptions: unknown[]
  /** Adds a block with so many logs, and tells it. */
  mine(logs?: number): void
  /** Replaces the last blocks by one more than there were. */
  reorg(depth: number): void
  /** Breaks all connections; where asked, in the middle of a frame. */
  cut(inFrame?: boolean): void
  /** Breaks the connections after so many further pushes. */
  cutAfter(pushes: number): void
  /** Adds a block with so many logs before the next subscription of the kind is open, so that it is not told. */
  mineBefore(kind: string, logs?: number): void
  /** The hashes of blocks that nobody is told. */
  readonly hidden: Set<string>
  connections(): number
}

const address = `0x${'ab'.repeat(20)}`
const topic = `0x${'cd'.repeat(32)}`

/** A node with a chain of its own, over a real WebSocket; it pushes heads, logs and receipts as geth does. */
export async function serveChain(kind: ServerKind = 'plain', height = 5, holes?: Holes): Promise<ChainServer> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const chain: ModelBlock[] = []
  const known = new Map<string, ModelBlock>()
  const calls = new Map<string, number>()
  const subscriptions: unknown[] = []
  const hidden = new Set<string>()
  const sockets = new Map<WebSocket, { readonly tcp: Socket; readonly subscribed: Map<string, string> }>()
  let count = 0
  let nextId = 1
  let connections = 0
  let left = Infinity
  const early = new Map<string, number>()

  function grow(logs: number): ModelBlock {
    let at = Number(chain.at(-1)?.number ?? -1) + 1
    while (at > 0 && holes?.isEmpty(at, count) === true) at++
    const number = `0x${at.toString(16)}`
    const hash = `0x${(++count).toString(16).padStart(64, '0')}`
    const parentHash = chain.at(-1)?.hash ?? `0x${'00'.repeat(32)}`
    const block: ModelBlock = { number, hash, parentHash, logs: Array.from({ length: logs }, (_, i) => logOf(i)) }
    function logOf(i: number): ModelLog {
      const place = { blockHash: hash, blockNumber: number, transactionHash: hash, transactionIndex: '0x0' }
      return { address, topics: [topic], data: '0x', ...place, logIndex: `0x${i.toString(16)}`, removed: false }
    }
    chain.push(block)
    known.set(hash, block)
    return block
  }

  for (let i = 0; i < height; i++) grow(1)

  const blockAt = (number: number): ModelBlock | undefined => chain.find((block) => Number(block.number) === number)

  const headerOf = ({ number, hash, parentHash }: ModelBlock): object => ({ number, hash, parentHash })
  const receiptsOf = ({ number, hash, logs }: ModelBlock): object[] =>
    logs.length === 0 ? [] : [{ blockHash: hash, blockNumber: number, transactionHash: hash, logs }]

  function push(of: string, results: readonly unknown[]): void {
    for (const [socket, { subscribed }] of sockets) {
      for (const [id, name] of subscribed) if (name === of) for (const result of results) send(socket, id, result)
    }
  }

  function send(socket: WebSocket, subscription: string, result: unknown): void {
    if (--left === 0) return cut(true)
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
  }

  function report(added: readonly ModelBlock[], removed: readonly ModelBlock[] = []): void {
    push(
      'logs',
      removed.flatMap(({ logs }) => logs.map((log) => ({ ...log, removed: true })).toReversed()),
    )
    for (const block of added) {
      push('newHeads', [headerOf(block)])
      push('logs', block.logs)
      if (block.logs.length > 0) push('transactionReceipts', [receiptsOf(block)])
    }
  }

  function cut(inFrame = false): void {
    left = Infinity
    for (const [socket, { tcp }] of sockets) {
      // The head of a text frame of 300 bytes, and some of them.
      if (inFrame) tcp.end(Buffer.concat([Buffer.from([0x81, 126, 1, 44]), Buffer.from('{"jsonrpc":"2.0","meth')]))
      else tcp.destroy()
      sockets.delete(socket)
    }
  }

  function answer(socket: WebSocket, method: string, params: readonly unknown[]): unknown {
    const [first] = params as [string & { blockHash?: string; fromBlock?: string; toBlock?: string }]
    if (method === 'eth_chainId') return '0x1'
    if (method === 'eth_getBlockByHash') return hidden.has(first) ? null : bare(known.get(first))
    if (method === 'eth_getBlockByNumber') {
      const block = first === 'latest' ? chain.at(-1) : blockAt(Number(first))
      const isEmpty = block === undefined && Number(first) < Number(chain.at(-1)?.number ?? 0)
      return (isEmpty ? holes?.error : undefined) ?? bare(block)
    }
    if (method === 'eth_getBlockReceipts') return receiptsOf(known.get(first)!)
    if (method === 'eth_getLogs') {
      if (first.blockHash !== undefined) return known.get(first.blockHash)!.logs
      const [from, to] = [Number(first.fromBlock), Number(first.toBlock)]
      return chain.filter(({ number }) => Number(number) >= from && Number(number) <= to).flatMap(({ logs }) => logs)
    }
    if (method !== 'eth_subscribe') return true
    const place = params[1] as { fromHash?: string; fromBlock?: string } | undefined
    if (first === 'newHeads' && place !== undefined && kind === 'plain') {
      return { code: -32602, message: 'too many arguments, want at most 1' }
    }
    const unreported = early.get(first)
    early.delete(first)
    if (unreported !== undefined) report([grow(unreported)])
    const id = `0x${(nextId++).toString(16)}`
    subscriptions.push(params)
    if (first === 'newHeads' && place !== undefined && kind === 'resuming') {
      const from = Number(place.fromBlock)
      let at =
        place.fromBlock === undefined
          ? known.get(place.fromHash!)
          : chain.findLast(({ number }) => Number(number) < from)
      while (at !== undefined && !chain.includes(at)) at = known.get(at.parentHash)
      const missed = chain.slice(at === undefined ? 0 : chain.indexOf(at) + 1)
      setImmediate(() => {
        for (const block of missed) send(socket, id, headerOf(block))
      })
    }
    sockets.get(socket)?.subscribed.set(id, first)
    return id
  }

  function bare(block: ModelBlock | undefined): object | null {
    return block === undefined ? null : { ...headerOf(block), transactions: [] }
  }

  server.on('connection', (socket, request) => {
    connections++
    sockets.set(socket, { tcp: request.socket, subscribed: new Map() })
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data)) as { id: number; method: string; params: unknown[] }
      calls.set(method, (calls.get(method) ?? 0) + 1)
      const value = answer(socket, method, params)
      const isError = typeof value === 'object' && value !== null && 'code' in value
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, [isError ? 'error' : 'result']: value }))
    })
  })
  onTestFinished(() => {
    cut()
    server.close()
  })

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chain,
    calls,
    subscriptions,
    hidden,
    mine: (logs = 1) => report([grow(logs)]),
    reorg(depth) {
      const removed = chain.splice(chain.length - depth).toReversed()
      report(
        Array.from({ length: depth + 1 }, (_, i) => grow(i % 3)),
        removed,
      )
    },
    mineBefore: (of, logs = 1) => void early.set(of, logs),
    cut,
    cutAfter: (pushes) => void (left = pushes + 1),
    connections: () => connections,
  }
}
