import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog, startGateway } from '@wayleave/gateway'
import { WebSocket } from 'ws'
import { type ComparedSpan, startCollector } from './run-collector.ts'
import { sentSpans } from './sent-spans.ts'

/** What the gateway sent, what the collector printed of it, and what callers were told. */
export interface TracedCalls {
  readonly sent: readonly ComparedSpan[]
  readonly received: readonly ComparedSpan[]
  /** The answers of the collector: HTTP status and body. */
  readonly answers: readonly string[]
  /** The spans that the gateway gave up. */
  readonly dropped: number
  /** Trace ids that callers were told, by what they did. */
  readonly reported: Readonly<Record<'single' | 'follows' | 'cached' | 'retried' | 'refused' | 'batch', string>>
  /** The trace id and the span that one caller sent. */
  readonly parent: { readonly traceId: string; readonly spanId: string }
}

const key = 'c011ec7012c011ec7012c011ec7012c0'
const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

/** Makes calls of each kind through a gateway that traces all of them, before a collector. */
export async function traceCalls(program: string): Promise<TracedCalls> {
  await using collector = await startCollector(program)
  await using node = await startNode(async ({ method }) => {
    if (method === 'eth_syncing') await sleep(50)
    return method === 'eth_call' ? { error: { code: 3, message: 'execution reverted' } } : { result: '0x1' }
  })
  await using broken = await startNode(undefined)
  const upstream = { name: 'sound', url: node.url, probe: false }
  const network = { kind: 'evm', chainId: 1, followHeads: false } as const
  const gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      tracing: { endpoint: collector.endpoint, sample: 1 },
      networks: {
        sound: { ...network, upstreams: [upstream] },
        broken: {
          ...network,
          upstreams: [
            { name: 'broken', url: broken.url, probe: false },
            { ...upstream, tier: 'fallback' },
          ],
        },
      },
      projects: [{ name: 'traced', keys: [{ key }] }],
    },
    { log: createLog({ level: 'silent' }) },
  )
  const call = async (slug: string, body: unknown, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await fetch(`${gateway.rpc}/${slug}/v3/${key}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    await answer.arrayBuffer()
    return answer.headers.get('x-trace-id')!
  }
  const frame = (method: string, params: readonly unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params })
  let reported: TracedCalls['reported']
  let dropped: number
  try {
    const single = await call('sound', frame('net_version'))
    const cached = await call('sound', frame('net_version'))
    const follows = await call('sound', frame('eth_gasPrice'), {
      traceparent: `00-${parent.traceId}-${parent.spanId}-01`,
    })
    const retried = await call('broken', frame('eth_gasPrice'))
    const refused = await call('sound', frame('admin_peers'))
    const batch = await call('sound', [
      frame('eth_maxPriorityFeePerGas'),
      frame('eth_call', [{ to: `0x${'cd'.repeat(20)}` }, 'latest']),
    ])
    // Two at once are one flight.
    await Promise.all([call('sound', frame('eth_syncing')), call('sound', frame('eth_syncing'))])
    await overSocket(`${gateway.ws}/sound/ws/v3/${key}`, frame('eth_blockNumber'))
    reported = { single, follows, cached, retried, refused, batch }
    const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
    dropped = Number(/^wayleave_dropped_spans_total (\d+)$/m.exec(metrics)![1])
  } finally {
    // Sends the spans that wait.
    await gateway.close()
  }
  const received = await collector.end()
  return {
    sent: collector.exports.flatMap(({ body }) => sentSpans(body)),
    received,
    answers: collector.exports.map(({ status, answer }) => `${status} ${answer}`),
    dropped,
    reported,
    parent,
  }
}

async function overSocket(url: string, frame: object): Promise<void> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  socket.send(JSON.stringify(frame))
  await once(socket, 'message')
  socket.close()
  await once(socket, 'close')
}

/** A node that answers so; without an answer, one that drops each connection. */
async function startNode(answer: ((call: { readonly method: string }) => Promise<object>) | undefined) {
  const server = createServer(async (request, response) => {
    if (answer === undefined) return request.socket.destroy()
    const asked = (await json(request)) as { readonly id: unknown; readonly method: string }
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...(await answer(asked)) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
