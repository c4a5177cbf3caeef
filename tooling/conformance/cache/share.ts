import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'node:http'
import type { Product } from '../pool-bars/gateways/gateway.ts'
import { type Figure, count, figure, percent } from '../pool-bars/measure/figure.ts'
import { seeded } from '../ranges/load.ts'
import { type ChainPace, chainId, finalityLag, firstHeight, headAt, heightIn, hex, readAt } from './cache-chain.ts'
import { startCacheNode } from './start-cache-node.ts'

/** The load of the bar: 12 s blocks, 100 calls a second. */
const real = { blockMs: 12_000, perSecond: 100 }
const [headKeys, oldKeys] = [30, 1_500]
const mostToTheNode = 0.15
/** The head may be told so much later than it was made; the gateway's clock is not the node's. */
const lateMs = 12_000

export interface ShareOptions {
  readonly product: Product
  readonly calls: number
  /** How many times faster than real time blocks and calls come. */
  readonly pace: number
  readonly signal: AbortSignal
}

interface Call {
  readonly account: string
  /** Undefined: at the head. */
  readonly height: number | undefined
}

/** Draws calls: 60 % over 30 keys at the head, 30 % over 1,500 keys of final blocks, 10 % that are never asked again. */
function createDraw(seed: number): () => Call {
  const random = seeded(seed)
  let unique = 0
  const account = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`
  return () => {
    const kind = random()
    if (kind < 0.6) return { account: account(1 + Math.floor(random() * headKeys)), height: undefined }
    const oldest = firstHeight - finalityLag - oldKeys
    if (kind < 0.9) return { account: account(1_000), height: oldest + Math.floor(random() * oldKeys) }
    return { account: account(1_000_000 + unique++), height: undefined }
  }
}

/** Measures how many of the callers' calls come to the node. @throws Error where `signal` ends it */
export async function measureShare({ product, calls, pace, signal }: ShareOptions): Promise<readonly Figure[]> {
  await using stack = new AsyncDisposableStack()
  const blockMs = real.blockMs / pace
  const perMs = (real.perSecond * pace) / 1_000
  // Whole seconds: a block has no shorter time.
  const chain: ChainPace = { blockMs, startedAt: Math.floor(Date.now() / 1_000) * 1_000 }
  const node = await startCacheNode(stack, chain)
  const upstreams = [{ name: 'a', url: node.url }]
  const gateway = stack.use(await product.start({ chainId, upstreams, cache: true }))
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  stack.defer(() => agent.destroy())
  const draw = createDraw(1)
  const seen = { failed: 0, wrong: 0, late: 0 }
  const judge = ({ account, height }: Call, begun: number, result: string | undefined): void => {
    if (result === undefined) seen.failed++
    else if (height !== undefined) seen.wrong += Number(result !== readAt(account, height))
    else {
      const at = heightIn(result)
      const [low, high] = [headAt(chain, begun - lateMs), headAt(chain, Date.now())]
      if (result !== readAt(account, at) || at > high || at < low) seen.wrong++
      if (at < headAt(chain, begun)) seen.late++
    }
  }
  const ask = async (call: Call): Promise<void> => {
    const begun = Date.now()
    judge(call, begun, await balanceOf(gateway.url, agent, call))
  }
  // Heads are known, and two blocks seen.
  for (let i = 0; i < 20; i++) {
    await ask({ account: `0x${'00'.repeat(20)}`, height: undefined })
    await sleep(blockMs / 8)
  }
  await node.takeCalls()
  const first = performance.now()
  const open = new Set<Promise<void>>()
  for (let made = 0; made < calls;) {
    signal.throwIfAborted()
    for (const due = (performance.now() - first) * perMs; made < calls && made < due; made++) {
      const one = ask(draw()).finally(() => open.delete(one))
      open.add(one)
    }
    await sleep(5)
  }
  await Promise.all(open)
  const { eth_getBalance: asked = 0, ...own } = await node.takeCalls()
  const extra = Object.values(own).reduce((sum, each) => sum + each, 0)
  const name = (text: string): string => `${product.name}: ${text}`
  return [
    figure(name(`share of ${count(calls)} calls that came to the node`), asked / calls, percent, {
      most: mostToTheNode,
    }),
    figure(name('the same with the calls of its own, for heads'), (asked + extra) / calls, percent),
    figure(name('failed calls'), seen.failed, count, { most: 0 }),
    figure(name('wrong answers'), seen.wrong, count, { most: 0 }),
    figure(name('answers at an earlier head than that when the call began'), seen.late / calls, percent),
  ]
}

function balanceOf(url: string, agent: Agent, { account, height }: Call): Promise<string | undefined> {
  const params = [account, height === undefined ? 'latest' : hex(height)]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params })
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  return new Promise((resolve) => {
    const asked = request(url, { method: 'POST', agent, headers, timeout: 20_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(/"result":"(0x[\da-f]+)"/.exec(text)?.[1]))
      response.on('error', () => resolve(undefined))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
    asked.end(body)
  })
}
