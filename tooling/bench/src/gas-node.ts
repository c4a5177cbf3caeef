import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A node of a chain that stands still, so that its answers about fees never change; it is so short that all of it is known at once. */
export interface GasNode extends AsyncDisposable {
  readonly url: string
}

const latest = 400
const chain = '0x1'

/** Opens the node on a free port. It answers the calls that fees are computed from; its fees rise and fall over the blocks. */
export async function startGasNode(): Promise<GasNode> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const calls: unknown = JSON.parse(body)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(call: unknown): object {
  const { id, method, params } = call as { id: unknown; method: string; params?: readonly unknown[] }
  const result = resultOf(method, params ?? [])
  if (result !== undefined) return { jsonrpc: '2.0', id, result }
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'method not found' } }
}

function resultOf(method: string, params: readonly unknown[]): unknown {
  switch (method) {
    case 'eth_chainId':
      return chain
    case 'eth_blockNumber':
      return hex(latest)
    case 'eth_getBlockByNumber':
      return blockAt(numberOf(params[0]))
    case 'eth_feeHistory':
      return feeHistory(Number(params[0]), numberOf(params[1]), (params[2] ?? []) as readonly number[])
    default:
      return undefined
  }
}

function numberOf(block: unknown): number {
  return typeof block === 'string' && block.startsWith('0x') ? Number(block) : latest
}

function blockAt(number: number): object {
  return {
    number: hex(number),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: hex(1_700_000_000 + 12 * (number - latest)),
    baseFeePerGas: hex(baseFeeAt(number)),
    gasLimit: hex(30_000_000),
    gasUsed: hex(15_000_000),
  }
}

function feeHistory(count: number, newest: number, percentiles: readonly number[]): object {
  const oldest = Math.max(0, newest - count + 1)
  const numbers = Array.from({ length: newest - oldest + 1 }, (_, i) => oldest + i)
  return {
    oldestBlock: hex(oldest),
    baseFeePerGas: [...numbers, newest + 1].map((number) => hex(baseFeeAt(number))),
    gasUsedRatio: numbers.map((number) => 0.5 + 0.4 * Math.sin(number / 9)),
    reward: numbers.map((number) => percentiles.map((percentile) => hex(tipAt(number, percentile)))),
  }
}

function baseFeeAt(number: number): number {
  return Math.round(16_284_026_964 * (1 + 0.3 * Math.sin(number / 40)))
}

function tipAt(number: number, percentile: number): number {
  return Math.round(1e7 * (1 + percentile) * (1 + 0.1 * Math.sin(number / 5)))
}

function hashOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
