import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from '../../starvation/measure/child.ts'

/* A node in a process of its own. Its parent tells it how to behave, and asks it for the calls that it was sent. */

export interface NodeBehaviour {
  readonly chainId: number
  /** The median of its latency, in ms, with a tail to the right as networks have it. */
  readonly medianMs: number
  /** The part of calls that it answers with status 500, each on its own. */
  readonly failing: number
}

export interface NodeFigures {
  /** All calls that came, and those of callers. */
  readonly calls: number
  readonly reads: number
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params?: readonly unknown[]
}

const blockMs = 2_000
/** The height of the chain is this many blocks at its beginning: at no moment is it new. */
const firstHeight = 1_000
const spread = 0.4
let calls = 0
let reads = 0

const hex = (value: number): string => `0x${value.toString(16)}`
const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
/** The same at all nodes. */
const head = (): number => firstHeight + (Math.floor(Date.now() / blockMs) % 1_000_000)

function latencyMs(median: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
  return median * Math.exp(spread * normal)
}

function blockAt(tag: unknown): object | null {
  const lag = tag === 'safe' || tag === 'finalized' ? 2 : 0
  const height = typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : head() - lag
  if (height > head()) return null
  const roots = { stateRoot: hashOf(1), transactionsRoot: hashOf(2), receiptsRoot: hashOf(3) }
  const timestamp = hex(Math.floor(Date.now() / blockMs) * (blockMs / 1_000))
  return {
    number: hex(height),
    hash: hashOf(height),
    parentHash: hashOf(height - 1),
    timestamp,
    ...roots,
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    baseFeePerGas: '0x1',
    transactions: [],
  }
}

function resultOf({ method, params = [] }: Call, chainId: number): unknown {
  if (method === 'eth_getBalance') return '0x2a'
  if (method === 'eth_chainId') return hex(chainId)
  if (method === 'net_version') return String(chainId)
  if (method === 'eth_syncing') return false
  if (method === 'eth_blockNumber') return hex(head())
  return method === 'eth_getBlockByNumber' ? blockAt(params[0]) : null
}

async function start({ chainId, medianMs, failing }: NodeBehaviour): Promise<string> {
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    void (async () => {
      const body = JSON.parse(await text(request)) as Call | readonly Call[]
      const received = [body].flat() as readonly Call[]
      calls += received.length
      reads += received.filter(({ method }) => method === 'eth_getBalance').length
      await sleep(latencyMs(medianMs))
      if (Math.random() < failing) return response.writeHead(500).end('out of order')
      const answers = received.map((call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(call, chainId) }))
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
    })().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

answerParent({ start, figures: (): NodeFigures => ({ calls, reads }) })
