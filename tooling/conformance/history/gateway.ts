import { createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import type { HistoryNode } from './node.ts'

const key = 'history-0123456789abcdef0123456789'

/** A gateway over simulated nodes, and a way to ask it. */
export interface HistoryGateway extends AsyncDisposable {
  readonly url: string
  readonly ws: string
  ask(method: string, params: readonly unknown[]): Promise<Answer>
  /** Counts the calls that were asked of a second upstream because the first one took long. */
  hedges(): Promise<number>
}

export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export async function startHistoryGateway(
  nodes: Readonly<Record<string, HistoryNode>>,
  { probe = true, hasSockets = false } = {},
): Promise<HistoryGateway> {
  const upstreams = Object.entries(nodes).map(([name, { url, ws }]) => ({
    name,
    url,
    probe,
    ...(hasSockets && { ws }),
  }))
  const gateway: RunningGateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      // An answer of the cache would tell nothing of how the pool finds one.
      cache: false,
      networks: { mainnet: { kind: 'evm', chainId: 1, upstreams } },
      projects: [{ name: 'history', keys: [{ key }] }],
    },
    { log: createLog({ level: 'silent' }) },
  )
  const url = `${gateway.rpc}/v3/${key}`
  return {
    url,
    ws: `${gateway.ws}/ws/v3/${key}`,
    async ask(method, params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return (await response.json()) as Answer
    },
    async hedges() {
      const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
      const counts = metrics.matchAll(/^wayleave_upstream_calls_total\{[^}]*purpose="hedge"[^}]*\} (\d+)/gm)
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
    },
    [Symbol.asyncDispose]: () => gateway.close(0),
  }
}
