import { setTimeout as sleep } from 'node:timers/promises'
import type { Product } from '../pool-bars/gateways/gateway.ts'
import { Child } from '../starvation/measure/child.ts'
import { readTraffic } from './traffic-record.ts'

/** Two copies of each client, as replicas of an application; the second one starts so much later. */
const copies = 2
const apartMs = 7_000
/** The gateway is up, and has seen the chain, before the first call. */
const leadMs = 8_000

/** The calls of a client by one method. */
export interface TrafficClass {
  readonly client: string
  readonly method: string
  calls: number
  /** Answers from memory, by the header that says so. */
  hits: number
  failed: number
}

export interface TrafficResult {
  readonly product: string
  readonly classes: readonly TrafficClass[]
  /** All calls that came to the node, the gateway's own included, by method. */
  readonly atNode: Readonly<Record<string, number>>
}

/** The part of the calls of a class that memory answered. */
export const savedOf = ({ hits, calls }: TrafficClass): number => hits / calls

/** Replays the record at its own pace through a gateway. @throws Error where `signal` ends it */
export async function replayTraffic(product: Product, signal: AbortSignal): Promise<TrafficResult> {
  const { chainId, calls, questions } = readTraffic()
  await using stack = new AsyncDisposableStack()
  const startedAt = Date.now() + leadMs
  const node = stack.use(new Child(new URL('traffic-node.ts', import.meta.url)))
  const url = await node.ask<string>('start', startedAt)
  const gateway = stack.use(await product.start({ chainId, upstreams: [{ name: 'a', url }], cache: true }))
  const classes = new Map<string, TrafficClass>()
  const due = Array.from({ length: copies }, (_, copy) =>
    calls.map(([client, ms, question]) => ({ client, question, at: startedAt + ms + copy * apartMs })),
  )
    .flat()
    .toSorted((a, b) => a.at - b.at)
  const open: Promise<void>[] = []
  for (const { client, question, at } of due) {
    signal.throwIfAborted()
    if (at > Date.now()) await sleep(at - Date.now())
    const { method, params } = questions[question]!
    const name = `${client} ${method}`
    const own = classes.get(name) ?? { client, method, calls: 0, hits: 0, failed: 0 }
    classes.set(name, own)
    own.calls++
    open.push(ask(gateway.url, method, params, own))
  }
  await Promise.all(open)
  const atNode = await node.ask<Record<string, number>>('calls')
  return { product: product.name, classes: [...classes.values()], atNode }
}

async function ask(url: string, method: string, params: readonly unknown[], own: TrafficClass): Promise<void> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(20_000) })
    const reported = answer.headers.get('x-wayleave-cache') ?? answer.headers.get('x-erpc-cache')
    if (reported?.toLowerCase() === 'hit') own.hits++
    if (!('result' in ((await answer.json()) as object))) own.failed++
  } catch {
    own.failed++
  }
}
