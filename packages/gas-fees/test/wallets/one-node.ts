import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const gwei = 1_000_000_000

export interface Node {
  readonly url: string
  /** Answers one call, as the HTTP side does. */
  answer(method: string, params: readonly unknown[]): unknown
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[]
  close(): Promise<void>
}

/** A node of a chain that stands still: base fee 10 gwei, tips of 2 gwei, chain id 1. */
export async function startNode(): Promise<Node> {
  const calls: Node['calls'] = []
  const hex = (value: number): string => `0x${value.toString(16)}`
  const block = {
    number: hex(39),
    hash: `0x${'11'.repeat(32)}`,
    parentHash: `0x${'22'.repeat(32)}`,
    timestamp: hex(1_700_000_000),
    baseFeePerGas: hex(10 * gwei),
    gasLimit: hex(30_000_000),
    gasUsed: hex(15_000_000),
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: '0x',
    logsBloom: `0x${'00'.repeat(256)}`,
    miner: `0x${'00'.repeat(20)}`,
    mixHash: `0x${'00'.repeat(32)}`,
    nonce: '0x0000000000000000',
    receiptsRoot: `0x${'00'.repeat(32)}`,
    sha3Uncles: `0x${'00'.repeat(32)}`,
    size: '0x1',
    stateRoot: `0x${'00'.repeat(32)}`,
    transactionsRoot: `0x${'00'.repeat(32)}`,
    transactions: [],
    uncles: [],
  }
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_chainId: () => '0x1',
    net_version: () => '1',
    eth_getBlockByNumber: () => block,
    eth_gasPrice: () => hex(99 * gwei),
    eth_maxPriorityFeePerGas: () => hex(77 * gwei),
    eth_getTransactionCount: () => '0x0',
    eth_estimateGas: () => hex(21_000),
    eth_sendTransaction: () => `0x${'33'.repeat(32)}`,
    eth_feeHistory: ([count, , percentiles]) => {
      const blocks = Math.min(Number(count), 40)
      return {
        oldestBlock: hex(40 - blocks),
        baseFeePerGas: Array<string>(blocks + 1).fill(hex(10 * gwei)),
        gasUsedRatio: Array<number>(blocks).fill(0.5),
        reward: Array.from({ length: blocks }, () => (percentiles as number[]).map(() => hex(2 * gwei))),
      }
    },
  }
  const answer: Node['answer'] = (method, params) => {
    calls.push({ method, params })
    const make = answers[method]
    if (make === undefined) throw new Error(`${method} was not expected`)
    return make(params)
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const parsed = JSON.parse(body) as Call | readonly Call[]
      const one = ({ id, method, params = [] }: Call): object => {
        if (answers[method] !== undefined) return { jsonrpc: '2.0', id, result: answer(method, params) }
        return { jsonrpc: '2.0', id, error: { code: -32601, message: `the method ${method} does not exist` } }
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(Array.isArray(parsed) ? parsed.map(one) : one(parsed as Call)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params?: readonly unknown[]
}
