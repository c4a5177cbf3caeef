import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerHash } from '@wayleave/evm-verify'
import { type WebSocket, WebSocketServer } from 'ws'
import { replyTo } from '../src/reply-to.ts'

/** A node of a chain of empty blocks, at any path: a path is a provider's key. */
export interface StandIn extends AsyncDisposable {
  /** `http://host:port`. */
  readonly url: string
  readonly ws: string
  readonly height: () => number
  /** Calls by path. */
  readonly calls: ReadonlyMap<string, number>
  /** WebSockets that were opened so far, by path. */
  readonly sockets: ReadonlyMap<string, number>
  /** Calls for the chain's id, which each new network asks, by path. */
  readonly introductions: ReadonlyMap<string, number>
  /** Adds a block, and pushes it to its subscribers. */
  addBlock(): void
}

const zero = (bytes: number): `0x${string}` => `0x${'00'.repeat(bytes)}`
const hex = (number: number): `0x${string}` => `0x${number.toString(16)}`
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

type Block = Readonly<Record<string, unknown>> & { readonly hash: `0x${string}` }

function blockAfter(parent: Block | undefined, number: number): Block {
  const header = {
    parentHash: parent?.hash ?? zero(32),
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: zero(20),
    stateRoot: emptyRoot,
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    logsBloom: zero(256),
    difficulty: '0x0',
    number: hex(number),
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    timestamp: hex(1_700_000_000 + number),
    extraData: '0x',
    mixHash: zero(32),
    nonce: zero(8),
    baseFeePerGas: '0x7',
  } as const
  return { ...header, hash: headerHash(header), uncles: [], transactions: [] }
}

type Counts = Map<string, number>

const count = (counts: Counts, path: string): void => void counts.set(path, (counts.get(path) ?? 0) + 1)

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Starts the node on a free port of the loopback interface. */
export async function startStandIn(): Promise<StandIn> {
  const blocks: Block[] = []
  for (let number = 0; number < 10; number++) blocks.push(blockAfter(blocks.at(-1), number))
  const [calls, opened, introductions] = [1, 2, 3].map(() => new Map<string, number>()) as [Counts, Counts, Counts]
  const subscribers = new Map<string, WebSocket>()
  let ids = 0

  function resultOf(method: string, [first]: readonly unknown[]): unknown {
    if (method === 'eth_chainId') return '0x1'
    if (method === 'net_version') return '1'
    if (method === 'eth_syncing') return false
    if (method === 'eth_blockNumber') return hex(blocks.length - 1)
    if (method === 'eth_getBlockByHash') return blocks.find(({ hash }) => hash === first) ?? null
    if (method !== 'eth_getBlockByNumber') return '0x1'
    return (String(first).startsWith('0x') ? blocks[Number(first)] : blocks.at(-1)) ?? null
  }

  function answer({ id, method, params = [] }: Call, path: string, socket?: WebSocket): string {
    count(calls, path)
    if (method === 'eth_chainId') count(introductions, path)
    let result = resultOf(method, params)
    if (method === 'eth_subscribe' && socket !== undefined) {
      result = hex(++ids)
      if (params[0] === 'newHeads') subscribers.set(String(result), socket)
    }
    return JSON.stringify({ jsonrpc: '2.0', id, result })
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.setHeader('content-type', 'application/json')
    response.end(await replyTo(Buffer.concat(chunks).toString(), (call: Call) => answer(call, request.url!)))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket, request) => {
    count(opened, request.url!)
    socket.on('message', (data) => socket.send(answer(JSON.parse(String(data)) as Call, request.url!, socket)))
    socket.on('close', () => subscribers.forEach((other, id) => other === socket && subscribers.delete(id)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    ws: `ws://${host}`,
    height: () => blocks.length - 1,
    calls,
    sockets: opened,
    introductions,
    addBlock() {
      const result = blockAfter(blocks.at(-1), blocks.length)
      blocks.push(result)
      for (const [subscription, socket] of subscribers)
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
