import type { HttpPort } from '@wayleave/jsonrpc-core'
import type { TestChain } from '../chain-node.ts'

/** A node without a socket, asked at `http://<name>/`. */
interface SimulatedNode {
  readonly url: string
  /** Blocks that it is behind the chain. */
  lag: number
  /** Its next nonce for every sender. */
  nonce: number
  /** All that it was asked, its own questions included. */
  readonly asked: string[]
}

/** Simulated nodes of one chain, and the port through which they are asked. */
export interface SimulatedNodes {
  readonly nodes: readonly SimulatedNode[]
  readonly port: HttpPort
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Makes nodes. `delayOf`: time that an answer takes, in ms; 0: none. */
export function simulateNodes(chain: TestChain, count: number, delayOf: () => number = () => 0): SimulatedNodes {
  const nodes = Array.from({ length: count }, (_, i): SimulatedNode => {
    return { url: `http://node-${i}/`, lag: 0, nonce: 0, asked: [] }
  })
  const hex = (number: number): string => `0x${number.toString(16)}`

  function resultOf({ lag, nonce }: SimulatedNode, method: string, [first]: readonly unknown[]): unknown {
    const head = chain.height - lag
    if (method === 'eth_chainId') return hex(chain.id)
    if (method === 'eth_blockNumber') return hex(head)
    if (method === 'eth_getTransactionCount') return hex(nonce)
    if (method === 'eth_getBlockByNumber') {
      const at = String(first).startsWith('0x') ? Number(first) : first === 'latest' ? head : Math.max(0, head - 20)
      return at <= head ? chain.block(at) : null
    }
    if (method === 'eth_getBlockByHash') {
      for (let at = head; at >= Math.max(0, head - 64); at--) if (chain.block(at).hash === first) return chain.block(at)
      return null
    }
    if (method === 'eth_getLogs' || method === 'eth_getBlockReceipts') return []
    return null
  }

  return {
    nodes,
    async port({ url, body }) {
      const node = nodes.find((each) => each.url === new URL(url).href)!
      const { id, method, params = [] } = JSON.parse(body) as Call
      node.asked.push(method)
      const delay = delayOf()
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(node, method, params) })
      return { status: 200, headers: new Headers({ 'content-type': 'application/json' }), body: [Buffer.from(text)] }
    },
  }
}
