// The other side of `verify-delay`, on a thread of its own: a node with one full block, and the gateway's callers.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { createHttpTransport, createRpcClient } from '@wayleave/jsonrpc-core'
import { systemClock } from './defaults.ts'
import { createFullBlock } from './verify-block.ts'

/** An order to call the gateway for a while. */
export interface DelayOrder {
  readonly url: string
  readonly seconds: number
  /** Whether one caller asks for the block, again and again. */
  readonly asksBlocks: boolean
}

/** The latencies of small calls, in ms, and the blocks that came. */
export interface DelayLoad {
  readonly blocks: number
  readonly failed: number
  readonly small: readonly number[]
}

const { transactions } = workerData as { readonly transactions: number }
const smallEveryMs = 10
const { block } = createFullBlock(transactions)
const blockText = JSON.stringify(block)

const node = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: unknown; method: string }
    const result = method === 'eth_getBlockByHash' ? blockText : '"0x1"'
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
  })
})

async function load({ url, seconds, asksBlocks }: DelayOrder): Promise<DelayLoad> {
  const client = createRpcClient(createHttpTransport({ url }))
  const end = systemClock.now() + seconds * 1_000
  const small: number[] = []
  let blocks = 0
  let failed = 0
  const calls: Promise<void>[] = []
  async function askSmall(): Promise<void> {
    const start = systemClock.now()
    await client.requestUnchecked('eth_gasPrice').then(
      () => void small.push(systemClock.now() - start),
      () => void failed++,
    )
  }
  async function askBlocks(): Promise<void> {
    while (systemClock.now() < end) {
      await client.requestUnchecked('eth_getBlockByHash', [block.hash, true]).then(
        () => void blocks++,
        () => void failed++,
      )
    }
  }
  if (asksBlocks) calls.push(askBlocks())
  while (systemClock.now() < end) {
    calls.push(askSmall())
    await new Promise<void>((resolve) => void systemClock.after(smallEveryMs, resolve))
  }
  await Promise.all(calls)
  return { blocks, failed, small }
}

node.listen(0, '127.0.0.1', () => {
  parentPort!.postMessage(`http://127.0.0.1:${(node.address() as AddressInfo).port}`)
})
async function obey(order: DelayOrder): Promise<void> {
  parentPort!.postMessage(await load(order))
}
parentPort!.on('message', (order: DelayOrder) => void obey(order))
