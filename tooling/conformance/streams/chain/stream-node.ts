import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { chainId, createClockChain } from './clock-chain.ts'
import { createNodeFilters } from './node-filters.ts'
import { isMatch, type LogFilter } from './log-match.ts'

/*
 * A node of a chain that grows by the clock: it answers, pushes and forgets its filters as geth does, and counts what it is asked.
 *
 * node stream-node.ts PORT WS_PORT '{ startedAt, blockMs, logsPerBlock, lateMs }'
 */

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Subscription {
  readonly kind: string
  readonly options: unknown
}

const [port, wsPort, options] = process.argv.slice(2) as [string, string, string]
const { lateMs, ...chainOptions } = JSON.parse(options) as Parameters<typeof createClockChain>[0] & { lateMs: number }
const chain = createClockChain(chainOptions)
const kinds = ['newHeads', 'logs', 'newPendingTransactions', 'transactionReceipts', 'syncing']
const subscribers = new Map<WebSocket, Map<string, Subscription>>()
const calls = new Map<string, number>()
const aheadOfBurst = 100
let lastId = 0
let head = chain.heightAt(Date.now() - lateMs)

const hex = (number: number): string => `0x${number.toString(16)}`
const filters = createNodeFilters({ chain, headOf: () => head, idOf: () => hex(++lastId) })

class Refusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The number that a block parameter means; undefined beyond the head. */
function numberOf(block: unknown): number | undefined {
  if (block === 'safe' || block === 'finalized') return Math.max(0, head - 32)
  if (block === 'earliest') return 0
  const name = typeof block === 'object' && block !== null ? Object.values(block)[0] : block
  if (typeof name !== 'string' || !name.startsWith('0x')) return head
  const number = name.length === 66 ? chain.numberOf(name) : Number(name)
  return number === undefined || number > head ? undefined : number
}

function blockAt(number: number | undefined, isFull: unknown): unknown {
  if (number === undefined) return null
  const { header, receipts } = chain.block(number)
  const transactions = receipts.map(({ transactionHash, transactionIndex, from, to, blockHash, blockNumber }) =>
    isFull === true
      ? { hash: transactionHash, transactionIndex, from, to, blockHash, blockNumber, type: '0x2', nonce: '0x0' }
      : transactionHash,
  )
  return { ...header, size: '0x220', transactions, uncles: [] }
}

function logsOf(filter: LogFilter & { blockHash?: string; fromBlock?: string; toBlock?: string }): readonly unknown[] {
  const { blockHash } = filter
  const from = numberOf(blockHash ?? filter.fromBlock ?? 'latest')
  const to = numberOf(blockHash ?? filter.toBlock ?? 'latest')
  if (blockHash !== undefined && from === undefined) throw new Refusal(-32000, 'unknown block')
  if (from === undefined || to === undefined) throw new Refusal(-32602, 'block range extends beyond current head block')
  const logs = []
  for (let number = from; number <= to; number++)
    for (const log of chain.block(number).logs) if (isMatch(filter, log)) logs.push(log)
  return logs
}

function answer(method: string, params: readonly unknown[]): unknown {
  switch (method) {
    case 'eth_chainId':
      return hex(chainId)
    case 'net_version':
      return String(chainId)
    case 'web3_clientVersion':
      return 'Geth/stream-node'
    case 'eth_syncing':
      return false
    case 'eth_blockNumber':
      return hex(head)
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      return blockAt(numberOf(params[0]), params[1])
    case 'eth_getBlockReceipts': {
      const number = numberOf(params[0])
      return number === undefined ? null : chain.block(number).receipts
    }
    case 'eth_getLogs':
      return logsOf(params[0] as LogFilter)
    case 'rig_counts': {
      const open = new Map<string, number>()
      for (const own of subscribers.values())
        for (const { kind } of own.values()) open.set(kind, (open.get(kind) ?? 0) + 1)
      return { calls: Object.fromEntries(calls), subscriptions: Object.fromEntries(open) }
    }
    default: {
      const made = filters.answer(method, params)
      if (made === undefined) throw new Refusal(-32601, `the method ${method} does not exist/is not available`)
      if (made === 'not found') throw new Refusal(-32000, 'filter not found')
      return made
    }
  }
}

function subscribe(socket: WebSocket, [kind, given]: readonly unknown[]): string {
  if (!kinds.includes(String(kind))) throw new Refusal(-32601, `no "${String(kind)}" subscription in eth namespace`)
  const id = hex(++lastId)
  subscribers.get(socket)!.set(id, { kind: String(kind), options: given })
  return id
}

function reply({ id, method, params = [] }: Call, socket?: WebSocket): string {
  if (!method.startsWith('rig_')) calls.set(method, (calls.get(method) ?? 0) + 1)
  const base = { jsonrpc: '2.0', id }
  try {
    if (socket !== undefined && method === 'eth_subscribe')
      return JSON.stringify({ ...base, result: subscribe(socket, params) })
    if (socket !== undefined && method === 'eth_unsubscribe')
      return JSON.stringify({ ...base, result: subscribers.get(socket)!.delete(String(params[0])) })
    return JSON.stringify({ ...base, result: answer(method, params) })
  } catch (thrown) {
    const code = thrown instanceof Refusal ? thrown.code : -32603
    return JSON.stringify({ ...base, error: { code, message: (thrown as Error).message } })
  }
}

/** The events of a block for one subscription. */
function eventsOf(number: number, { kind, options: given }: Subscription): readonly unknown[] {
  const { header, receipts, logs } = chain.block(number)
  if (kind === 'newHeads') return [header]
  if (kind === 'logs') return logs.filter((log) => isMatch((given ?? {}) as LogFilter, log))
  if (kind === 'transactionReceipts') return [receipts]
  if (kind !== 'newPendingTransactions') return []
  return receipts.map(({ transactionHash, from, to }) =>
    given === true ? { hash: transactionHash, from, to, nonce: '0x0' } : transactionHash,
  )
}

function push(): void {
  const now = chain.heightAt(Date.now() - lateMs)
  while (head < now) {
    // Another node may have told its hash already.
    chain.block(++head)
    for (const [socket, own] of subscribers) {
      for (const [subscription, each] of own) {
        for (const result of eventsOf(head, each))
          socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
      }
    }
  }
  setTimeout(push, Math.max(1, chain.madeAt(head + 1) + lateMs - Date.now()))
}

const server = createServer((request, response) => {
  void (async () => {
    const body = JSON.parse(await text(request)) as Call | readonly Call[]
    const replies = [body].flat().map((call) => reply(call as Call))
    response.setHeader('content-type', 'application/json')
    response.end(Array.isArray(body) ? `[${replies.join(',')}]` : replies[0])
  })()
})

const sockets = new WebSocketServer({ host: '127.0.0.1', port: Number(wsPort) })
sockets.on('connection', (socket) => {
  subscribers.set(socket, new Map())
  socket.on('close', () => subscribers.delete(socket))
  socket.on('error', () => {})
  socket.on('message', (data) => {
    const body = JSON.parse(String(data)) as Call | readonly Call[]
    const replies = [body].flat().map((call) => reply(call as Call, socket))
    socket.send(Array.isArray(body) ? `[${replies.join(',')}]` : replies[0]!)
  })
})

await once(sockets, 'listening')
// A parent that ended must not leave it behind.
process.stdin.on('end', () => process.exit()).resume()
// Blocks that come all at once are made before they are asked for.
chain.block(head + (chainOptions.burst?.blocks ?? 0) + aheadOfBurst)
push()
server.listen(Number(port), '127.0.0.1')
