import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { replyTo } from '../src/reply-to.ts'
import type { Ledger, Reply } from './ledger.ts'
import type { Prepared } from './transactions.ts'

/** Ways of a node to take a transaction, by name, and how many in a hundred go so. */
export const ways = {
  'takes it': 40,
  'takes it and resets': 8,
  resets: 5,
  'takes it and says nothing': 8,
  'says nothing': 3,
  'takes it late': 4,
  'takes it and fails': 5,
  fails: 3,
  'is overloaded': 4,
  'limits the rate': 3,
  'has no funds for it': 5,
  'has a higher floor': 4,
  'takes it and lies about the hash': 5,
  'lies about the hash': 3,
} as const
export type Way = keyof typeof ways

export interface FaultyNode extends AsyncDisposable {
  readonly url: string
  /** How often each transaction came, by its hash. */
  readonly received: ReadonlyMap<string, number>
  /** How often each way was gone. */
  readonly gone: ReadonlyMap<Way, number>
}

export interface FaultyNodeOptions {
  readonly ledger: Ledger
  /** Its place among the nodes of the ledger. */
  readonly place: number
  readonly byRaw: ReadonlyMap<string, Prepared>
  /** A number from 0 up to 1. */
  readonly random: () => number
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

const lateMs = 1_200
const internal: Reply = { error: { code: -32603, message: 'Internal error' } }
const otherHash: Reply = { result: `0x${'12'.repeat(32)}` }

/** Starts a node that goes one of these ways with each transaction, drawn anew. It is sound for all other calls, but for one in ten lookups. */
export async function startFaultyNode({ ledger, place, byRaw, random }: FaultyNodeOptions): Promise<FaultyNode> {
  const received = new Map<string, number>()
  const gone = new Map<Way, number>()
  const late: Promise<unknown>[] = []

  function draw(): Way {
    let left = random() * 100
    for (const [way, share] of Object.entries(ways)) if ((left -= share) < 0) return way as Way
    return 'takes it'
  }

  /** Returns what the node says; undefined: nothing; `reset`: it breaks the connection off. */
  async function take(way: Way, transaction: Prepared): Promise<Reply | 'reset' | 'busy' | undefined> {
    const send = (): Promise<Reply> => ledger.send(transaction, place)
    switch (way) {
      case 'takes it':
        return send()
      case 'takes it and resets':
        await send()
        return 'reset'
      case 'resets':
        return 'reset'
      case 'takes it and says nothing':
        await send()
        return undefined
      case 'says nothing':
        return undefined
      case 'takes it late':
        await new Promise((resolve) => setTimeout(resolve, lateMs))
        return send()
      case 'takes it and fails':
        await send()
        return internal
      case 'fails':
        return internal
      case 'is overloaded':
        return 'busy'
      case 'limits the rate':
        return { error: { code: 429, message: 'Too many requests' } }
      case 'has no funds for it':
        return { error: { code: -32000, message: 'insufficient funds for gas * price + value' } }
      case 'has a higher floor':
        return { error: { code: -32000, message: 'transaction underpriced' } }
      case 'takes it and lies about the hash':
        await send()
        return otherHash
      case 'lies about the hash':
        return otherHash
    }
  }

  /** Waits for the receipt, as `eth_sendRawTransactionSync` does. */
  async function withReceipt(hash: string): Promise<Reply> {
    for (let i = 0; i < 100; i++) {
      const reply = await ledger.ask('eth_getTransactionReceipt', [hash], place)
      if (reply.result !== null) return reply
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return { error: { code: 4, message: 'the transaction was added to the pool, but was not mined in time' } }
  }

  async function answer({ method, params }: Call): Promise<Reply | 'reset' | 'busy' | undefined> {
    if (method !== 'eth_sendRawTransaction' && method !== 'eth_sendRawTransactionSync') {
      if (method === 'eth_getTransactionByHash' && random() < 0.1) return internal
      return ledger.ask(method, params, place)
    }
    const transaction = byRaw.get(String(params[0]))!
    received.set(transaction.hash, (received.get(transaction.hash) ?? 0) + 1)
    const way = draw()
    gone.set(way, (gone.get(way) ?? 0) + 1)
    const taken = take(way, transaction)
    if (way === 'takes it late') late.push(taken)
    const reply = await taken
    const waits =
      method === 'eth_sendRawTransactionSync' && typeof reply === 'object' && reply.result === transaction.hash
    return waits ? withReceipt(transaction.hash) : reply
  }

  async function respond(text: string, response: ServerResponse): Promise<void> {
    // One call of a batch that is not answered leaves the batch without an answer.
    const refusals = new Set<'reset' | 'busy' | undefined>()
    const body = await replyTo<Call>(text, async (call) => {
      const reply = await answer(call)
      if (typeof reply === 'object') return JSON.stringify({ jsonrpc: '2.0', id: call.id, ...reply })
      refusals.add(reply)
      return ''
    })
    if (refusals.has('reset')) return void response.destroy()
    if (refusals.has('busy')) return void response.writeHead(503).end('busy')
    if (refusals.size === 0) response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void respond(Buffer.concat(chunks).toString(), response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    gone,
    async [Symbol.asyncDispose]() {
      await Promise.all(late)
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
