import { rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'

/** A node whose chain has three blocks, and whose head can be moved. */
export interface FeeNode {
  readonly handler: RpcHandler
  head: number
}

export function createFeeNode(): FeeNode {
  const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`
  const hex = (number: number): string => `0x${number.toString(16)}`
  const baseFee = (number: number): string => hex(1e9 + number)
  const node: FeeNode = {
    head: 2,
    async handler({ method, params }) {
      const args = (params?.value() ?? []) as readonly unknown[]
      const number = typeof args[0] === 'string' && args[0].startsWith('0x') ? Number(args[0]) : node.head
      if (method === 'eth_chainId') return { result: rawJsonFromValue('0x1') }
      if (method === 'eth_getBlockByNumber') {
        const block = {
          hash: hash(number),
          parentHash: hash(Math.max(0, number - 1)),
          timestamp: hex(1_700_000_000 + number),
        }
        const result = number > node.head ? null : { number: hex(number), baseFeePerGas: baseFee(number), ...block }
        return { result: rawJsonFromValue(result) }
      }
      if (method !== 'eth_feeHistory') return { error: { code: -32601, message: 'the method does not exist' } }
      const newest = typeof args[1] === 'string' && args[1].startsWith('0x') ? Number(args[1]) : node.head
      const count = Math.min(Number(args[0]), newest + 1)
      const numbers = Array.from({ length: count }, (_, i) => newest - count + 1 + i)
      const result = {
        oldestBlock: hex(numbers[0]!),
        baseFeePerGas: [...numbers, newest + 1].map(baseFee),
        gasUsedRatio: numbers.map(() => 0.5),
        reward: numbers.map(() => ((args[2] ?? []) as readonly number[]).map((percentile) => hex(percentile * 1e6))),
      }
      return { result: rawJsonFromValue(result) }
    },
  }
  return node
}
