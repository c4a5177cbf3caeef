import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const hex = (number: number): string => `0x${number.toString(16)}`
const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** A node with three blocks and their fees, and the methods that it was asked. */
export async function startFeeNode(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = []
  const head = 2
  const now = Math.floor(Date.now() / 1_000)
  const resultOf = (method: string, params: readonly unknown[]): unknown => {
    const given = String(params[0]).startsWith('0x') ? Number(params[0]) : head
    const number = method === 'eth_getBlockByHash' ? given - 1 : given
    if (method === 'eth_chainId') return '0x1'
    if (method.startsWith('eth_getBlockBy')) {
      const block = { hash: hash(number + 1), parentHash: hash(number), timestamp: hex(now - head + number) }
      return { number: hex(number), baseFeePerGas: hex(1e9), ...block }
    }
    if (method !== 'eth_feeHistory') return hex(head)
    const rewards = (params[2] as readonly number[]).map((percentile) => hex(percentile * 1e6))
    const [baseFeePerGas, gasUsedRatio] = [Array<string>(head + 2).fill(hex(1e9)), Array<number>(head + 1).fill(0.5)]
    return { oldestBlock: '0x0', baseFeePerGas, gasUsedRatio, reward: gasUsedRatio.map(() => rewards) }
  }
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
    incoming.on('end', () => {
      const { id, method, params = [] } = JSON.parse(text) as { id: number; method: string; params?: unknown[] }
      asked.push(method)
      const body = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
