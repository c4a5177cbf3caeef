import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerHash } from '@wayleave/evm-verify'
import { type WebSocket, WebSocketServer } from 'ws'

const word = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`
const hex = (number: number): `0x${string}` => `0x${number.toString(16)}`
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** A block without transactions, whose hash is the one of its header. */
export interface TestBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly logsBloom: string
}

/** A chain of empty blocks, which its test makes longer. */
export interface TestChain {
  readonly id: number
  /** The height of its head. */
  height: number
  /** The block at a height, or below it, where none was made there. */
  block(number: number): TestBlock
  /** The height that the next block has. */
  next(): number
  /** Replaces the blocks above a height by others. */
  reorganize(above: number): void
  /** The blocks that were replaced, if they have logs: nodes still have them by their hash. */
  readonly replaced: readonly TestBlock[]
}

/** The address of all logs. */
export const logAddress: string = `0x${'ab'.repeat(20)}`

/**
 * Makes a chain that has blocks up to `height`. Chains of different `genesis` have no block in common. `hasLogs`: each block has one
 * transaction with two logs. `startedAt`: the time of block 0, in seconds; a block a second follows. `isRollup`: blocks are those of the OP
 * stack. `isEmpty`: heights without a block.
 */
export function testChain(
  height: number,
  {
    id = 1,
    genesis = 0,
    hasLogs = false,
    startedAt = 1_700_000_000,
    isRollup = false,
    isEmpty = (_number: number): boolean => false,
  } = {},
): TestChain {
  const blocks: TestBlock[] = []
  const replaced: TestBlock[] = []
  let fork = genesis
  return {
    id,
    height,
    replaced,
    block(number) {
      while (blocks.length <= number) {
        const below = blocks.at(-1)
        const isHole = below !== undefined && isEmpty(blocks.length)
        const kind = { hasLogs, startedAt, isRollup }
        blocks.push(isHole ? below : blockOf(blocks.length, below?.hash ?? word('0'), fork, kind))
      }
      return blocks[number]!
    },
    next() {
      let number = this.height + 1
      while (isEmpty(number)) number++
      return number
    },
    reorganize(above) {
      this.block(above)
      const gone = blocks.splice(above + 1)
      if (hasLogs) replaced.push(...gone)
      fork++
    },
  }
}

/** The blocks made so far, by all that they are made of: chains of many tests share theirs. */
const made = new Map<string, TestBlock>()

function blockOf(number: number, parentHash: string, fork: number, kind: BlockKind): TestBlock {
  const name = `${number} ${parentHash} ${fork} ${kind.hasLogs} ${kind.startedAt} ${kind.isRollup}`
  const known = made.get(name)
  if (known !== undefined) return known
  const block = makeBlock(number, parentHash, fork, kind)
  made.set(name, block)
  return block
}

interface BlockKind {
  readonly hasLogs: boolean
  readonly startedAt: number
  readonly isRollup: boolean
}

function makeBlock(
  number: number,
  parentHash: string,
  fork: number,
  { hasLogs, startedAt, isRollup }: BlockKind,
): TestBlock {
  const header = {
    parentHash: parentHash as `0x${string}`,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: `0x${'0'.repeat(40)}`,
    stateRoot: emptyRoot,
    transactionsRoot: hasLogs ? word('1') : emptyRoot,
    receiptsRoot: emptyRoot,
    logsBloom: `0x${(hasLogs ? 'f' : '0').repeat(512)}`,
    difficulty: '0x0',
    number: hex(number),
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    timestamp: hex(startedAt + number),
    extraData: `0x${isRollup ? '00000000fa000000' : ''}${fork.toString(16).padStart(2, '0')}`,
    mixHash: word('0'),
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
  } as const
  return { ...header, hash: headerHash(header), uncles: [], transactions: [] } as TestBlock
}

function logsOf({ number, hash }: TestBlock): readonly object[] {
  return [0, 1].map((i) => ({
    address: logAddress,
    topics: [word(String(i))],
    data: '0x',
    blockNumber: number,
    blockHash: hash,
    transactionHash: hash,
    transactionIndex: '0x0',
    logIndex: hex(i),
    removed: false,
  }))
}

/** An answer of a node: its `error`, or else its `result`. */
export interface NodeAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A node over HTTP and WebSocket that has a chain, or a part of it. */
export interface ChainNode {
  readonly url: string
  readonly ws: string
  /** The methods of calls that arrived, other than those for chain and heads. */
  readonly calls: string[]
  /** The answers to calls for its head and its chain count as the gateway's own. */
  chain: TestChain
  /** Blocks that it is behind the chain. */
  lag: number
  /** The only block height that it knows; undefined: that of its chain. */
  stuckAt: number | undefined
  /** Answers calls by its own rule, or breaks the connection; undefined for a call: as the chain says. */
  answer: (method: string, params: readonly unknown[]) => NodeAnswer | 'hang' | 'cut' | undefined
  /** Answers a call over HTTP by a status alone; undefined: by its answer. */
  refuse: (method: string) => { readonly status: number; readonly headers: Record<string, string> } | undefined
  /** WebSockets that were opened to it so far. */
  readonly socketsOpened: number
  /** Subscriptions to new heads that are open. */
  readonly subscribers: number
  /** Open subscriptions to a kind. */
  subscribersOf(kind: string): number
  /** Pushes its head to all subscribers of new heads. */
  pushHead(): void
  /** Pushes a result to all subscribers of a kind. */
  push(kind: string, result: unknown): void
  /** Ends all connections and refuses new ones. */
  stop(): Promise<void>
  /** Listens again, where it did before. */
  start(): Promise<void>
  close(): Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Starts a node. `name`: its answer to `eth_gasPrice` and all methods that no chain decides. */
export async function startChainNode(chain: TestChain, name: number): Promise<ChainNode> {
  let server: Server
  let sockets: WebSocketServer
  let port = 0
  let subscriptions = 0
  let socketsOpened = 0
  const open = new Map<string, { readonly kind: string; readonly socket: WebSocket }>()
  const node: ChainNode = {
    get url() {
      return `http://127.0.0.1:${port}`
    },
    get ws() {
      return `ws://127.0.0.1:${port}`
    },
    calls: [],
    get socketsOpened() {
      return socketsOpened
    },
    get subscribers() {
      return node.subscribersOf('newHeads')
    },
    subscribersOf: (kind) => [...open.values()].filter((one) => one.kind === kind).length,
    chain,
    lag: 0,
    stuckAt: undefined,
    answer: () => undefined,
    refuse: () => undefined,
    pushHead: () => node.push('newHeads', node.chain.block(headOf())),
    push(kind, result) {
      for (const [subscription, { kind: own, socket }] of open) {
        if (own !== kind) continue
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
      }
    },
    async stop() {
      for (const client of sockets.clients) client.terminate()
      open.clear()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
    async start() {
      server = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | readonly Call[]
          const calls = [body].flat() as readonly Call[]
          const replies = calls.map((call) => replyTo(call, undefined))
          const [refusal] = calls.flatMap(({ method }) => node.refuse(method) ?? [])
          if (refusal !== undefined) return void response.writeHead(refusal.status, refusal.headers).end()
          // One call of a batch that is not answered leaves the batch without an answer.
          if (replies.includes('cut')) return void request.socket.destroy()
          if (replies.includes(undefined)) return
          response.setHeader('content-type', 'application/json')
          response.end(Array.isArray(body) ? `[${replies.join(',')}]` : replies[0])
        })
      })
      sockets = new WebSocketServer({ server })
      sockets.on('connection', (socket) => {
        socketsOpened++
        socket.on('close', () => {
          for (const [subscription, one] of open) if (one.socket === socket) open.delete(subscription)
        })
        socket.on('message', (data: Buffer) => {
          const reply = replyTo(JSON.parse(data.toString()) as Call, socket)
          if (reply === 'cut') socket.terminate()
          else if (reply !== undefined) socket.send(reply)
        })
      })
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      port = (server.address() as AddressInfo).port
    },
    async close() {
      if (server.listening) await node.stop()
    },
  }

  function headOf(): number {
    return node.stuckAt ?? Math.max(0, node.chain.height - node.lag)
  }

  function replyTo({ id, method, params = [] }: Call, socket: WebSocket | undefined): string | undefined {
    const isOwn = method === 'eth_chainId' || method === 'eth_subscribe' || method === 'eth_unsubscribe'
    if (!isOwn && !(method === 'eth_getBlockByNumber' && typeof params[0] === 'string' && /^[a-z]+$/.test(params[0])))
      node.calls.push(method)
    const answer = node.answer(method, params) ?? { result: resultOf(method, params, socket) }
    if (answer === 'cut') return answer
    return answer === 'hang' ? undefined : JSON.stringify({ jsonrpc: '2.0', id, ...answer })
  }

  function resultOf(method: string, params: readonly unknown[], socket: WebSocket | undefined): unknown {
    switch (method) {
      case 'eth_chainId':
        return hex(node.chain.id)
      case 'eth_blockNumber':
        return hex(headOf())
      case 'eth_getBlockByNumber': {
        const at = numberOf(params[0])
        const block = at <= headOf() ? node.chain.block(at) : undefined
        return block !== undefined && Number(block.number) === at ? block : null
      }
      case 'eth_getBlockByHash':
        return [...blocksDown(), ...node.chain.replaced].find((block) => block.hash === params[0]) ?? null
      case 'eth_getLogs': {
        const { blockHash, fromBlock, toBlock } = params[0] as Readonly<Record<string, string>>
        const wanted =
          blockHash === undefined
            ? blocksDown().filter(
                ({ number }) => Number(number) >= numberOf(fromBlock) && Number(number) <= numberOf(toBlock),
              )
            : [...blocksDown(), ...node.chain.replaced].filter(({ hash }) => hash === blockHash)
        return wanted.toReversed().flatMap(logsOf)
      }
      case 'eth_getBlockReceipts':
        return blocksDown()
          .filter(({ hash }) => hash === params[0])
          .map((block) => ({ blockHash: block.hash, transactionHash: block.hash, logs: logsOf(block) }))
      case 'eth_subscribe': {
        const subscription = hex(++subscriptions)
        open.set(subscription, { kind: params[0] as string, socket: socket! })
        return subscription
      }
      case 'eth_unsubscribe':
        return open.delete(params[0] as string)
      default:
        return hex(name)
    }
  }

  /** Its last blocks, the highest first. */
  function blocksDown(): readonly TestBlock[] {
    const head = headOf()
    const blocks = Array.from({ length: Math.min(head + 1, 64) }, (_, i) => node.chain.block(head - i))
    return [...new Set(blocks)]
  }

  function numberOf(tag: unknown): number {
    if (tag === 'earliest') return 0
    if (tag === 'safe' || tag === 'finalized') return Math.max(0, headOf() - 8)
    return typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : headOf()
  }

  await node.start()
  return node
}
