import { onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, type TestBlock, type TestChain } from '../../chain-node.ts'

/** The only log of a block. */
export const logOf = ({ number, hash }: TestBlock) => ({
  address: `0x${'ab'.repeat(20)}`,
  topics: [],
  data: '0x',
  blockNumber: number,
  blockHash: hash,
  logIndex: '0x0',
  removed: false,
})

/** Starts a node whose blocks have a log each, and which still gives blocks that were replaced. */
export async function startLogNode(chain: TestChain, name: number): Promise<ChainNode> {
  const node = await startChainNode(chain, name)
  onTestFinished(() => node.close())
  const seen = new Map<string, TestBlock>()
  node.answer = (method, params) => {
    for (let number = Math.max(0, chain.height - 100); number <= chain.height - node.lag; number++) {
      const block = chain.block(number)
      seen.set(block.hash, block)
    }
    if (method === 'eth_getBlockByHash') return { result: seen.get(params[0] as string) ?? null }
    if (method !== 'eth_getLogs') return undefined
    const { blockHash, fromBlock, toBlock } = params[0] as Record<string, string | undefined>
    if (blockHash !== undefined) {
      const block = seen.get(blockHash)
      return block === undefined ? { error: { code: -32000, message: 'unknown block' } } : { result: [logOf(block)] }
    }
    const last = toBlock?.startsWith('0x') === true ? Number(toBlock) : chain.height
    const from = Number(fromBlock)
    return { result: Array.from({ length: last - from + 1 }, (_, i) => logOf(chain.block(from + i))) }
  }
  return node
}
