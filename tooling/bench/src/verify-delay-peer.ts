// The other side of `verify-delay`, on a thread of its own: a node with full blocks, and the gateway's callers.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { createHttpTransport, createRpcClient } from '@wayleave/jsonrpc-core'
import { systemClock } from './defaults.ts'
import { createFullBlock } from './verify-block.ts'
import { createProvableChain, type ProvableChain } from './verify-chain.ts'

/** The work that is verified beside small calls: one block again and again, each block of a subscription, or a long range of logs. */
export type DelayWork = 'none' | 'blocks' | 'subscriptions' | 'logs'

/** An order to call the gateway for a while. */
export interface DelayOrder {
  /** With a key. */
  readonly http: string
  readonly ws: string
  readonly seconds: number
  readonly work: DelayWork
}

/** The latencies of small calls, in ms, and the blocks that came. */
export interface DelayLoad {
  readonly blocks: number
  readonly failed: number
  readonly small: readonly number[]
}

const { transactions } = workerData as { readonly transactions: number }
const smallEveryMs = 10
/** A block comes so often, in ms. */
const blockEveryMs = 500
/** Callers who subscribe to the logs of an address each, beside one to all logs and one to heads. */
const subscribers = 20
/** Blocks of a call for logs: more than pass as one, so that it is proven in segments of 64. */
const rangeBlocks = 320
const full = createFullBlock(transactions)
const { block } = full
const blockText = JSON.stringify(block)
/** By the path of the node's URL. Blocks of ranges are a tenth as long: a segment is 64 of them. */
const chains: Readonly<Record<string, ProvableChain>> = {
  '/subscriptions': createProvableChain(full, 64),
  '/logs': createProvableChain(createFullBlock(Math.ceil(transactions / 10)), rangeBlocks + 64),
}

const node = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: unknown
      method: string
      params: readonly unknown[]
    }
    const ofChain = chains[request.url!]?.answer(method, params)
    const result = ofChain ?? (method === 'eth_getBlockByHash' ? blockText : '"0x1"')
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
  })
})

const some = full.receipts.flatMap(({ logs }) => logs)

/** Subscribes to heads and logs, and counts heads until it is told to stop. */
async function subscribe(url: string): Promise<{ readonly heads: () => number; stop(): void }> {
  let heads = 0
  const kinds = [
    ['newHeads'],
    ['logs', {}],
    ...Array.from({ length: subscribers }, (_, i) => ['logs', { address: some[i % some.length]!.address }]),
  ]
  const sockets = await Promise.all(
    kinds.map(async (params) => {
      const socket = new WebSocket(url)
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve)
        socket.addEventListener('error', reject)
      })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
      if (params[0] === 'newHeads') {
        socket.addEventListener('message', ({ data }) => {
          if (String(data).includes('"eth_subscription"')) heads++
        })
      }
      return socket
    }),
  )
  return { heads: () => heads, stop: () => sockets.forEach((socket) => socket.close()) }
}

async function load({ http, ws, seconds, work }: DelayOrder): Promise<DelayLoad> {
  const client = createRpcClient(createHttpTransport({ url: http }))
  const end = systemClock.now() + seconds * 1_000
  const small: number[] = []
  let blocks = 0
  let failed = 0
  const calls: Promise<void>[] = []
  /** Tells whether there was an answer. */
  async function ask(method: string, params: readonly unknown[]): Promise<boolean> {
    try {
      await client.requestUnchecked(method, params)
      return true
    } catch {
      failed++
      return false
    }
  }
  async function askSmall(): Promise<void> {
    const start = systemClock.now()
    if (await ask('eth_gasPrice', [])) small.push(systemClock.now() - start)
  }
  async function askAgain(method: string, params: readonly unknown[], count: number): Promise<void> {
    while (systemClock.now() < end) {
      if (await ask(method, params)) blocks += count
    }
  }
  if (work === 'blocks') calls.push(askAgain('eth_getBlockByHash', [block.hash, true], 1))
  if (work === 'logs') {
    const { first, address } = chains['/logs']!
    const range = { fromBlock: hex(first + 1), toBlock: hex(first + rangeBlocks), address }
    calls.push(askAgain('eth_getLogs', [range], rangeBlocks))
  }
  const subscription = work === 'subscriptions' ? await subscribe(ws) : undefined
  let growAt = systemClock.now()
  while (systemClock.now() < end) {
    calls.push(askSmall())
    if (subscription !== undefined && systemClock.now() >= growAt) {
      chains['/subscriptions']!.grow()
      growAt += blockEveryMs
    }
    await new Promise<void>((resolve) => void systemClock.after(smallEveryMs, resolve))
  }
  await Promise.all(calls)
  subscription?.stop()
  return { blocks: blocks + (subscription?.heads() ?? 0), failed, small }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}

node.listen(0, '127.0.0.1', () => {
  parentPort!.postMessage(`http://127.0.0.1:${(node.address() as AddressInfo).port}`)
})
async function obey(order: DelayOrder): Promise<void> {
  parentPort!.postMessage(await load(order))
}
parentPort!.on('message', (order: DelayOrder) => void obey(order))
