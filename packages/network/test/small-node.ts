import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerHash } from '@wayleave/evm-verify'
import { WebSocketServer } from 'ws'

const word = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`
const hex = (number: number): `0x${string}` => `0x${number.toString(16)}`

/** Makes the blocks of a chain, from 0 up; they are empty and hash to their hashes. `genesis`: tells chains apart. */
export function emptyBlocks(count: number, genesis = 0): readonly Readonly<Record<string, unknown>>[] {
  const blocks: { readonly hash: `0x${string}` }[] = []
  for (let number = 0; number < count; number++) {
    const header = {
      parentHash: blocks.at(-1)?.hash ?? word('0'),
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      miner: `0x${'0'.repeat(40)}`,
      stateRoot: word('1'),
      transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
      receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
      logsBloom: `0x${'0'.repeat(512)}`,
      difficulty: '0x0',
      number: hex(number),
      gasLimit: '0x1c9c380',
      gasUsed: '0x0',
      timestamp: hex(1_700_000_000 + number),
      extraData: hex(4_096 + genesis),
      mixHash: word('0'),
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x7',
    } as const
    blocks.push({ ...header, hash: headerHash(header), uncles: [], transactions: [] } as never)
  }
  return blocks
}

/** A node over HTTP and WebSocket. */
export interface SmallNode {
  readonly url: string
  readonly ws: string
  /** The methods of calls that arrived, with their params as text. */
  readonly calls: string[]
  /** The blocks that it has; its head is the last one. */
  blocks: readonly Readonly<Record<string, unknown>>[]
  /** Ends all connections, and refuses new ones. */
  close(): Promise<void>
}

/** Starts a node that has blocks, and answers a balance of 7 for everybody. */
export async function startSmallNode(blocks: SmallNode['blocks'], chainId = 1): Promise<SmallNode> {
  const calls: string[] = []

  function answerTo(text: string): string {
    const { id, method, params = [] } = JSON.parse(text) as { id: unknown; method: string; params?: unknown[] }
    calls.push(`${method} ${JSON.stringify(params)}`)
    const head = node.blocks.at(-1)!
    const byTag = params[0] === 'latest' ? head : node.blocks.findLast(({ number }) => number === params[0])
    const results: Readonly<Record<string, unknown>> = {
      eth_chainId: hex(chainId),
      eth_blockNumber: head['number'],
      eth_getBlockByNumber: byTag ?? (/^[a-z]+$/.test(String(params[0])) ? node.blocks[0] : null),
      eth_getBlockByHash: node.blocks.find(({ hash }) => hash === params[0]) ?? null,
      eth_getBalance: '0x7',
      eth_getLogs: [],
      eth_subscribe: '0x1',
      eth_unsubscribe: true,
    }
    return JSON.stringify(
      Object.hasOwn(results, method)
        ? { jsonrpc: '2.0', id, result: results[method] }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: `the method ${method} does not exist` } },
    )
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.end(answerTo(Buffer.concat(chunks).toString())))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => socket.send(answerTo(data.toString())))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const node: SmallNode = {
    url: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    calls,
    blocks,
    async close() {
      for (const client of sockets.clients) client.terminate()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
  return node
}
