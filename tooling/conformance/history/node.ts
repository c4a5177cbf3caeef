import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { replyTo } from '../src/reply-to.ts'
import type { HistoryChain } from './chain.ts'

/** How far back a node has the chain, as geth keeps it: states as a window, bodies with receipts and the index from a block on. */
export interface Keeps {
  /** States up to the head; undefined: all. */
  readonly states?: number
  /** The first block with a body. */
  readonly bodies: number
  /** The first block whose transactions are found by hash. */
  readonly index: number
}

export interface HistoryNodeOptions {
  readonly chain: HistoryChain
  readonly keeps: Keeps
  /** Whether it has `eth_capabilities`, as geth has since 1.17. */
  readonly hasCapabilities: boolean
  /** The time after which it has a new block, in ms. */
  readonly lateMs?: () => number
  /** Called with each answer to a call that callers make, too: whether it has found nothing, or was refused. */
  readonly onAnswer?: (isVain: boolean) => void
}

/** A simulated node over HTTP and WebSocket that answers, refuses and forgets as geth does. */
export interface HistoryNode extends AsyncDisposable {
  readonly url: string
  readonly ws: string
  /** Counts of calls that callers make, too, by method. */
  readonly calls: ReadonlyMap<string, number>
  /** All of them. */
  readonly asked: number
  /** Tells it of a new head. */
  moved(): void
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

const hex = (number: number): string => `0x${number.toString(16)}`
const prunedHistory = { code: 4444, message: 'pruned history unavailable' }

class Refusal extends Error {
  readonly code: number
  constructor({ code, message }: { readonly code: number; readonly message: string }) {
    super(message)
    this.code = code
  }
}

export async function startHistoryNode(options: HistoryNodeOptions): Promise<HistoryNode> {
  const { chain, keeps, hasCapabilities, lateMs, onAnswer } = options
  const calls = new Map<string, number>()
  const heads = new Map<string, WebSocket>()
  let asked = 0
  let head = chain.height
  let subscriptions = 0

  function numberOf(tag: unknown): number {
    if (tag === 'safe' || tag === 'finalized') return head - 32
    return typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : head
  }

  /** Throws as geth does where a body is pruned; undefined: not there yet. */
  function body(number: number): number | undefined {
    if (number > head) return undefined
    if (number < keeps.bodies && number > 0) throw new Refusal(prunedHistory)
    return number
  }

  function state(number: number): number {
    if (number > head) throw new Refusal({ code: -32000, message: 'header not found' })
    if (keeps.states !== undefined && number <= head - keeps.states) {
      const root = 'ab'.repeat(32)
      throw new Refusal({ code: -32000, message: `missing trie node ${root} (path ) state 0x${root} is not available` })
    }
    return number
  }

  /** The block of a transaction that it finds by hash: 0 where it waits, undefined where it finds none. */
  function found(hash: unknown): number | undefined {
    const number = chain.blockOf(String(hash))
    if (number === undefined || number > head) return number === undefined ? undefined : 0
    return number === 0 || number >= keeps.index ? number : undefined
  }

  function capabilities(): unknown {
    const from = (oldest: number): unknown => ({ disabled: false, oldestBlock: hex(oldest) })
    const window =
      keeps.states === undefined
        ? from(0)
        : {
            disabled: false,
            oldestBlock: hex(head - keeps.states + 1),
            deleteStrategy: { type: 'window', retentionBlocks: hex(keeps.states) },
          }
    const kept = from(keeps.bodies)
    return {
      head: { number: hex(head), hash: '0x' },
      state: window,
      stateproofs: window,
      blocks: kept,
      receipts: kept,
      logs: kept,
      tx: from(keeps.index),
    }
  }

  function answer(method: string, params: readonly unknown[], socket: WebSocket | undefined): unknown {
    switch (method) {
      case 'eth_chainId':
        return '0x1'
      case 'eth_blockNumber':
        return hex(head)
      case 'eth_capabilities':
        if (!hasCapabilities)
          throw new Refusal({ code: -32601, message: `the method ${method} does not exist/is not available` })
        return capabilities()
      case 'eth_getBalance':
        return hex(1 + state(numberOf(params[1])))
      case 'eth_getBlockByNumber': {
        const number = body(numberOf(params[0]))
        if (number === undefined || params[1] !== true) return number === undefined ? null : chain.block(number)
        const transactions = chain.receipts(number).map(({ transactionHash }) => transaction(transactionHash, number))
        return { ...Object(chain.block(number)), transactions }
      }
      case 'eth_getBlockByHash': {
        const number = body(chain.numberOf(String(params[0])) ?? Number.POSITIVE_INFINITY)
        return number === undefined ? null : chain.block(number)
      }
      case 'eth_getBlockTransactionCountByNumber': {
        const number = body(numberOf(params[0]))
        return number === undefined ? null : hex(chain.receipts(number).length)
      }
      case 'eth_getBlockReceipts': {
        const number = body(numberOf(params[0]))
        return number === undefined ? null : chain.receipts(number)
      }
      case 'debug_traceBlockByNumber': {
        const number = numberOf(params[0])
        body(number)
        state(number - 1)
        return chain.receipts(number).map(({ transactionHash }) => ({ txHash: transactionHash, result: {} }))
      }
      case 'eth_getLogs': {
        const { fromBlock, toBlock } = params[0] as { readonly fromBlock: string; readonly toBlock: string }
        body(Number(fromBlock))
        const to = Math.min(Number(toBlock), head)
        const numbers = Array.from({ length: to - Number(fromBlock) + 1 }, (_, i) => Number(fromBlock) + i)
        return numbers.flatMap((number) =>
          chain.receipts(number).flatMap((receipt) => Object(receipt).logs as unknown[]),
        )
      }
      case 'eth_getTransactionReceipt': {
        const number = found(params[0])
        if (number === undefined || number === 0) return null
        return chain.receipts(number).find((receipt) => receipt.transactionHash === params[0])
      }
      case 'eth_getTransactionByBlockNumberAndIndex': {
        const number = body(numberOf(params[0]))
        return number === undefined ? null : transaction(chain.receipts(number)[0]!.transactionHash, number)
      }
      case 'eth_getTransactionByHash': {
        const number = found(params[0])
        return number === undefined ? null : transaction(String(params[0]), number)
      }
      case 'eth_subscribe': {
        const id = hex(++subscriptions)
        if (socket !== undefined) heads.set(id, socket)
        return id
      }
      case 'eth_unsubscribe':
        return heads.delete(String(params[0]))
      default:
        throw new Refusal({ code: -32601, message: `the method ${method} does not exist/is not available` })
    }
  }

  function transaction(hash: string, number: number): unknown {
    const address = `0x${'a1'.repeat(20)}`
    const fields = { from: address, to: address, nonce: '0x1', value: '0x0', gas: '0x5208', input: '0x', type: '0x2' }
    const fees = {
      gasPrice: '0x7',
      maxFeePerGas: '0x7',
      maxPriorityFeePerGas: '0x0',
      chainId: '0x1',
      v: '0x0',
      r: '0x1',
      s: '0x1',
    }
    const place = number === 0 ? { blockHash: null, blockNumber: null } : { blockNumber: hex(number) }
    return { hash, ...fields, ...fees, transactionIndex: number === 0 ? null : '0x0', ...place }
  }

  function reply({ id, method, params = [] }: Call, socket: WebSocket | undefined): string {
    const isOwn = /^eth_(?:chainId|capabilities|subscribe|unsubscribe)$/.test(method)
    const isHead = method === 'eth_getBlockByNumber' && /^[a-z]+$/.test(String(params[0]))
    const isCounted = !isOwn && !isHead
    if (isCounted) {
      asked++
      calls.set(method, (calls.get(method) ?? 0) + 1)
    }
    try {
      const result = answer(method, params, socket)
      if (isCounted) onAnswer?.(result === null)
      return JSON.stringify({ jsonrpc: '2.0', id, result })
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      if (isCounted) onAnswer?.(true)
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code: thrown.code, message: thrown.message } })
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      response.setHeader('content-type', 'application/json')
      response.end(await replyTo(Buffer.concat(chunks).toString(), (call: Call) => reply(call, undefined)))
    })
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('error', () => {})
    socket.on('message', (data: Buffer) => socket.send(reply(JSON.parse(data.toString()) as Call, socket)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    calls,
    get asked() {
      return asked
    },
    moved() {
      const next = chain.height
      setTimeout(() => {
        head = Math.max(head, next)
        for (const [subscription, socket] of heads) {
          const params = { subscription, result: chain.block(next) }
          if (socket.readyState === 1)
            socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
        }
      }, lateMs?.() ?? 0)
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
