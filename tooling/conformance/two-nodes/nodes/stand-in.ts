import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { askNode } from './ask-node.ts'

/*
 * A node of its own as far as its callers can tell: it follows an anvil, and shows only the blocks that it has taken over. When it starts
 * it stands at block 0 and takes its time to catch up, like a node that was killed before it wrote its blocks to the disk.
 *
 * node stand-in.ts ANVIL PORT WS_PORT CATCH_UP_MS DELAY_MS [BLOCKS_BEHIND]
 */

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Block {
  readonly number: string
  readonly hash: string
}

const [anvil, port, wsPort, catchUpMs, delayMs, behind = '0'] = process.argv.slice(2) as [
  ...[anvil: string, port: string, wsPort: string, catchUpMs: string, delayMs: string],
  behind?: string,
]
const followEveryMs = 50
const startedAt = performance.now()
const subscribers = new Map<WebSocket, Set<string>>()
let head = 0
let lastId = 0
let hasCaughtUp = false

const hex = (number: number): string => `0x${number.toString(16)}`

/** The place of the block parameter of each method that has one. */
const blockPlaces: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_call: 1,
}

const withBlocks = new Set([
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
])

/** Replaces a block by the one that a node at this head means; `null`: it has none. */
function blockFor(block: unknown): unknown {
  if (block === 'pending' && hasCaughtUp) return block
  if (block === undefined || block === 'latest' || block === 'pending') return hex(head)
  if (block === 'safe' || block === 'finalized') return hex(Math.max(0, head - 1))
  return typeof block === 'string' && Number(block) > head ? null : block
}

async function answer({ method, params = [] }: Call): Promise<unknown> {
  if (method === 'eth_blockNumber') return hex(head)
  if (method === 'eth_sendRawTransaction' && !hasCaughtUp) throw new Error('the node is still catching up')
  const asked = [...params]
  const place = blockPlaces[method]
  if (place !== undefined) {
    const block = blockFor(asked[place])
    if (block === null && method === 'eth_getBlockByNumber') return null
    if (block === null) throw new Error('header not found')
    asked[place] = block
  }
  const result = await askNode<Partial<Block & { blockNumber: string }> | null>(anvil, method, asked)
  const height = result?.number ?? result?.blockNumber
  return withBlocks.has(method) && typeof height === 'string' && Number(height) > head ? null : result
}

async function reply(call: Call): Promise<string> {
  const base = { jsonrpc: '2.0', id: call.id }
  try {
    return JSON.stringify({ ...base, result: await answer(call) })
  } catch (thrown) {
    const message = (thrown as Error).message.replace(/^eth_\w+: /, '')
    return JSON.stringify({ ...base, error: { code: -32000, message } })
  }
}

/** Takes over what anvil has, one step at a time once it has caught up. */
async function follow(): Promise<void> {
  try {
    const target = Number(await askNode<string>(anvil, 'eth_blockNumber')) - Number(behind)
    if (performance.now() - startedAt < Number(catchUpMs)) return
    if (target > head && delayMs !== '0') await sleep(Number(delayMs))
    const from = hasCaughtUp ? head + 1 : target
    hasCaughtUp = true
    for (let number = from; number <= target; number++) {
      const block = await askNode<Block>(anvil, 'eth_getBlockByNumber', [hex(number), false])
      head = number
      for (const [socket, ids] of subscribers) {
        for (const subscription of ids) {
          const params = { subscription, result: block }
          socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
        }
      }
    }
  } catch {
    // The chain may be at its end.
  }
}

const server = createServer((request, response) => {
  void (async () => {
    const body = JSON.parse(await text(request)) as Call | readonly Call[]
    const replies = await Promise.all([body].flat().map((call) => reply(call as Call)))
    response.setHeader('content-type', 'application/json')
    response.end(Array.isArray(body) ? `[${replies.join(',')}]` : replies[0])
  })()
})

const sockets = new WebSocketServer({ host: '127.0.0.1', port: Number(wsPort) })
sockets.on('connection', (socket) => {
  const ids = new Set<string>()
  subscribers.set(socket, ids)
  socket.on('close', () => subscribers.delete(socket))
  socket.on('message', (data) => {
    void (async () => {
      const call = JSON.parse(String(data)) as Call
      const { id, method, params = [] } = call
      if (method === 'eth_subscribe' && params[0] === 'newHeads') {
        const subscription = hex(++lastId)
        ids.add(subscription)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: subscription }))
      } else if (method === 'eth_unsubscribe') {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: ids.delete(String(params[0])) }))
      } else socket.send(await reply(call))
    })()
  })
})

await once(sockets, 'listening')
// A parent that ended must not leave it behind.
process.stdin.on('end', () => process.exit()).resume()
server.listen(Number(port), '127.0.0.1')
for (;;) {
  await follow()
  await sleep(followEveryMs)
}
