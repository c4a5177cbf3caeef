import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, keccak256 } from 'viem'
import { type WebSocket, WebSocketServer } from 'ws'
import { blockAt, headsEveryMs, height, word } from './chain.ts'
import { answerParent } from './measure/child.ts'
import { watchStalls } from './measure/stalls.ts'

/*
 * Two nodes for two networks, in a process of their own. The first param of a call says how it is answered; a behaviour that
 * ends in `!` holds at both nodes, else only at the first. Everything else is answered at once.
 */

const pendingEveryMs = 100
/** Calls beyond it are not parsed: a node's time is not measured here. Batches are. */
const longestParsed = 65_536
const openBracket = 0x5b

interface Call {
  readonly id: number | string
  readonly method: string
  readonly params?: readonly unknown[]
}

const stalls = watchStalls()
let served = 0

const resultOf = ({ method, params }: Call, network: string): string => {
  switch (method) {
    case 'eth_chainId':
      return network === 'one' ? '"0x1"' : '"0x2"'
    case 'net_version':
      return network === 'one' ? '"1"' : '"2"'
    case 'eth_syncing':
      return 'false'
    case 'eth_blockNumber':
      return `"0x${height().toString(16)}"`
    case 'eth_getBlockByNumber': {
      const asked = String(params?.[0])
      return JSON.stringify(blockAt(asked.startsWith('0x') ? Number(asked) : height()))
    }
    case 'eth_getBlockByHash':
      return JSON.stringify(blockAt(Number(params?.[0])))
    case 'eth_getLogs':
      return '[]'
    case 'eth_sendRawTransaction':
      return JSON.stringify(keccak256(params![0] as Hex))
    default:
      return '"0x1406f40"'
  }
}

const print = (id: Call['id'], result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

const longResults = new Map<number, string>()

function longResult(bytes: number): string {
  let text = longResults.get(bytes)
  if (text === undefined) longResults.set(bytes, (text = `"0x${'ab'.repeat(bytes / 2)}"`))
  return text
}

/** `['slow', '500']` of a call that asks for `slow:500` at this node. */
function behaviourOf({ params }: Call, healthy: boolean): readonly [name: string, value: string] {
  const [, name = '', everywhere, value = ''] = /^([a-z]+)(!?):(\d*)/.exec(String(params?.[0])) ?? []
  return healthy && everywhere !== '!' && name !== 'long' ? ['', ''] : [name, value]
}

/** Answers the calls of a request, one or a batch: all of them wait for the slowest, and end as the worst of them. */
function answer(body: Call | readonly Call[], network: string, healthy: boolean, response: ServerResponse): void {
  const calls = [body].flat() as Call[]
  const behaviours = calls.map((call) => behaviourOf(call, healthy))
  const isAmong = (name: string): boolean => behaviours.some(([behaviour]) => behaviour === name)
  if (isAmong('hang')) return
  if (isAmong('reset')) return void response.socket!.resetAndDestroy()
  const dripping = behaviours.findIndex(([name]) => name === 'drip')
  if (dripping >= 0) return drip(calls[dripping]!, Number(behaviours[dripping]![1]), response)
  const texts = calls.map((call, i) => {
    const [behaviour, value] = behaviours[i]!
    return print(call.id, behaviour === 'long' ? longResult(Number(value)) : resultOf(call, network))
  })
  const text = Array.isArray(body) ? `[${texts.join(',')}]` : texts[0]!
  const headers = { 'content-type': 'application/json', 'content-length': text.length }
  const send = (): void => void response.writeHead(200, headers).end(text)
  const waits = behaviours.map(([name, value]) => (name === 'slow' ? Number(value) : 0))
  if (isAmong('slow')) setTimeout(send, Math.max(...waits))
  else send()
}

/** Sends the half of a body of `bytes` at once, and the rest by 16 bytes in 100 ms. */
function drip({ id }: Call, bytes: number, response: ServerResponse): void {
  const text = print(id, longResult(bytes))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
  let at = text.length >> 1
  response.write(text.slice(0, at))
  const timer = setInterval(() => {
    if (at + 16 >= text.length || response.destroyed) clearInterval(timer)
    response.write(text.slice(at, at + 16))
    at += 16
  }, 100)
  response.on('close', () => clearInterval(timer))
}

async function startHttp(healthy: boolean): Promise<string> {
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const network = request.url!.slice(1)
    const chunks: Buffer[] = []
    let length = 0
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (chunk: Buffer) => {
      const isBatch = (chunks[0] ?? chunk)[0] === openBracket
      if (length < longestParsed || isBatch) chunks.push(chunk)
      length += chunk.length
    })
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      if (length > longestParsed && text.charCodeAt(0) !== openBracket) {
        const id = JSON.parse(/"id":("[^"]*"|\d+)/.exec(text)?.[1] ?? '0') as Call['id']
        served++
        answer({ id, method: 'eth_getBalance' }, network, healthy, response)
        return
      }
      const body = JSON.parse(text) as Call | readonly Call[]
      served += Array.isArray(body) ? body.length : 1
      answer(body, network, healthy, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A healthy node that pushes heads and pending transactions to their subscriptions. */
async function startWebSocket(): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket, request) => {
    const subscriptions: Subscription[] = []
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const call = JSON.parse(String(data)) as Call
      served++
      const [behaviour, value] = behaviourOf(call, true)
      if (behaviour === 'hang' || behaviour === 'drip') return
      // Ending the connection would cost others their writes: that is a node's fault, and no gateway's.
      if (behaviour === 'reset') return socket.send(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)}}`)
      const isSubscription = call.method === 'eth_subscribe'
      const id = `0x${(0x1000 + subscriptions.length).toString(16)}`
      if (isSubscription) subscriptions.push({ id, params: call.params ?? [] })
      const plain = isSubscription ? `"${id}"` : resultOf(call, request.url!.slice(1))
      const text = print(call.id, behaviour === 'long' ? longResult(Number(value)) : plain)
      if (behaviour === 'slow') setTimeout(() => socket.send(text), Number(value))
      else socket.send(text)
    })
    const heads = setInterval(() => push(socket, subscriptions, 'newHeads'), headsEveryMs)
    const pending = setInterval(() => push(socket, subscriptions, 'newPendingTransactions'), pendingEveryMs)
    socket.on('close', () => {
      clearInterval(heads)
      clearInterval(pending)
    })
  })
  await once(server, 'listening')
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Subscription {
  readonly id: string
  readonly params: readonly unknown[]
}

let pushed = 0

/** Pushes an event to each subscription of a kind: the head, or a transaction that no node has named yet. */
function push(socket: WebSocket, subscriptions: readonly Subscription[], kind: string): void {
  const hash = word(pushed++)
  for (const { id, params } of subscriptions) {
    if (params[0] !== kind) continue
    const transaction = params[1] === true ? { hash, from: word(1).slice(0, 42), input: word(2).repeat(8) } : hash
    const result = kind === 'newHeads' ? blockAt(height()) : transaction
    const message = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: id, result } }
    socket.send(JSON.stringify(message))
  }
}

answerParent({
  start: async () => ({ first: await startHttp(false), healthy: await startHttp(true) }),
  startPushing: () => startWebSocket(),
  /** The delay of this process since the last question, and the calls that it has answered. */
  figures: () => ({ delay: stalls.take(), served }),
})
