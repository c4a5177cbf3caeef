import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Config, createLog, realSurroundings, type RunningGateway, type TracingConfig } from '@wayleave/gateway'
import { rawJsonFromValue, systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  frame,
  key,
  refusedUrl,
  send,
  sleep,
  startNode,
  startNodeWith,
  startTestGateway,
  type TestNode,
  until,
} from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { faultsOf } from './otlp-schema.ts'

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
}

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status?: { readonly code: number }
}

interface Collector {
  readonly url: string
  readonly spans: readonly Span[]
  readonly bodies: readonly string[]
  readonly headers: readonly IncomingMessage['headers'][]
}

/** Starts a collector: it checks each request against the schema, and answers 200 unless `answer` does. */
async function startCollector(
  answer: (response: ServerResponse, nth: number) => void = (response) => void response.end('{}'),
): Promise<Collector> {
  const bodies: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    bodies.push(Buffer.concat(chunks).toString())
    headers.push(request.headers)
    answer(response, bodies.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    bodies,
    headers,
    get spans() {
      return bodies.flatMap((body) => {
        const request = JSON.parse(body)
        expect(faultsOf(request)).toEqual([])
        return request.resourceSpans[0].scopeSpans[0].spans as Span[]
      })
    },
  }
}

/** An exporter gathers calls for a hundredth of the time. */
const hasty = {
  ...realSurroundings,
  random: () => 0,
  clock: {
    ...systemClock,
    after: (ms: number, run: () => void) => systemClock.after(ms === 2_000 ? 20 : ms, run),
  },
}

async function begin(tracing: TracingConfig, nodes: readonly TestNode[], config: Partial<Config> = {}) {
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
  const upstreams = nodes.map(({ url }, i) => ({ name: 'ab'[i]!, url }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams } } as const
  const whole = { networks, tracing, ...config }
  const gateway = await startTestGateway([], whole, { log, surroundings: hasty })
  onTestFinished(() => gateway.close(0))
  for (const node of nodes) onTestFinished(() => node.close())
  return { gateway, lines }
}

const ask = ({ rpc }: RunningGateway, body: string, headers: Record<string, string> = {}) =>
  send(rpc, `/v3/${key}`, { body, headers })
const valueOf = ({ attributes }: Span, name: string): string | boolean | undefined => {
  const value = attributes.find((attribute) => attribute.key === name)?.value
  return value?.stringValue ?? value?.intValue ?? value?.boolValue
}
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const sampled = { traceparent: `00-${traceId}-${parentId}-01` }

describe('a call that is sampled', () => {
  it('is exported with its attempts, under the id that its caller was told, without params, keys or URLs', async () => {
    const collector = await startCollector()
    const dead = await startNodeWith((request) => void request.socket.destroy())
    const node = await startNode()
    const headers = { authorization: 'Bearer of-the-collector' }
    const { gateway } = await begin({ endpoint: collector.url, sample: 1, headers }, [dead, node])
    const answer = await ask(gateway, frame('eth_getBalance', [`0x${'cd'.repeat(20)}`, 'latest']))
    expect(answer.status).toBe(200)
    await until(() => collector.spans.length >= 3)
    const [call, first, second] = collector.spans as [Span, Span, Span]
    expect(collector.headers[0]).toMatchObject({ 'content-type': 'application/json', ...headers })
    expect(call).toMatchObject({ traceId: answer.headers['x-trace-id'], name: 'eth_getBalance', kind: 2 })
    expect(call.parentSpanId).toBeUndefined()
    for (const attempt of [first, second]) {
      expect(attempt).toMatchObject({ traceId: call.traceId, parentSpanId: call.spanId, kind: 3 })
      expect(BigInt(attempt.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(call.startTimeUnixNano))
    }
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(3)
    expect(['rpc.system.name', 'rpc.method', 'jsonrpc.protocol.version'].map((name) => valueOf(call, name))).toEqual([
      'jsonrpc',
      'eth_getBalance',
      '2.0',
    ])
    expect([first, second].map((span) => [valueOf(span, 'wayleave.upstream'), valueOf(span, 'error.type')])).toEqual([
      ['a', 'unreachable'],
      ['b', undefined],
    ])
    expect([first.status?.code, second.status, call.status]).toEqual([2, undefined, undefined])
    expect(valueOf(call, 'wayleave.outcome')).toBe('answered')
    for (const hidden of [key, 'cd'.repeat(20), node.url, dead.url, 'of-the-collector']) {
      expect(collector.bodies.join('')).not.toContain(hidden)
    }
  })

  it('tells of the stages that it waited in: the cache, a call in flight, the queue', async () => {
    const collector = await startCollector()
    const waiting: (() => void)[] = []
    const node = await startNode(async () => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { result: rawJsonFromValue('0x1') }
    })
    const { gateway } = await begin({ endpoint: collector.url, sample: 1 }, [node], {
      cache: {},
      limits: { maxUpstreamCalls: 1 },
    })
    const account = (digit: string): string => frame('eth_getBalance', [`0x${digit.repeat(40)}`, '0x1'])
    const first = ask(gateway, account('a'))
    await until(() => waiting.length === 1)
    const others = [ask(gateway, account('a')), ask(gateway, account('b'))]
    await sleep(100)
    waiting[0]!()
    await until(() => waiting.length === 2)
    waiting[1]!()
    const ids = (await Promise.all([first, ...others])).map(({ headers }) => headers['x-trace-id'])
    await until(() => collector.spans.filter(({ kind }) => kind === 2).length >= 3)
    const stagesOf = (id: unknown): string[] =>
      collector.spans.filter(({ traceId: of, kind }) => of === id && kind !== 2).map(({ name }) => name)
    expect(ids.map((id) => stagesOf(id))).toEqual([
      ['cache', 'eth_getBalance'],
      ['cache', 'coalesce'],
      ['cache', 'queue', 'eth_getBalance'],
    ])
    const queue = collector.spans.find(({ name }) => name === 'queue')!
    expect(BigInt(queue.endTimeUnixNano) - BigInt(queue.startTimeUnixNano)).toBeGreaterThan(50_000_000n)
  })

  it('of a batch stands below the span of the batch, and one over a WebSocket is a trace of its own', async () => {
    const collector = await startCollector()
    const { gateway } = await begin({ endpoint: collector.url, sample: 1 }, [await startNode()])
    const answer = await ask(gateway, `[${frame('eth_gasPrice')},${frame('eth_syncing')},7]`)
    await until(() => collector.spans.length >= 5)
    const batch = collector.spans.find(({ name }) => name === 'batch')!
    expect(valueOf(batch, 'wayleave.batch.calls')).toBe('2')
    const calls = collector.spans.filter(({ kind }) => kind === 1)
    expect(calls.map((span) => [span.name, span.parentSpanId, valueOf(span, 'wayleave.trace_id')])).toEqual(
      ['eth_gasPrice', 'eth_syncing'].map((name, i) => [
        name,
        batch.spanId,
        `${answer.headers['x-trace-id']}.${i + 1}`,
      ]),
    )
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(5)

    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    for (const method of ['eth_chainId', 'net_version']) socket.send(frame(method))
    await socket.next()
    await socket.next()
    await until(() => collector.spans.length >= 9)
    await socket.close()
    const reported = collector.spans.slice(5).filter(({ kind }) => kind === 2)
    expect(new Set(reported.map((span) => span.traceId)).size).toBe(2)
    const ids = reported.map((span) => valueOf(span, 'wayleave.trace_id') as string).toSorted()
    expect(ids.map((id) => id.slice(32))).toEqual(['.1', '.2'])
  })
})

describe('a traceparent', () => {
  it('of a later version is read by the members that version 00 has, and one that is none says nothing', async () => {
    const collector = await startCollector()
    const { gateway } = await begin({ endpoint: collector.url, sample: 0 }, [await startNode()])
    const idOf = async (traceparent: string): Promise<unknown> =>
      (await ask(gateway, frame('eth_gasPrice'), { traceparent })).headers['x-trace-id']
    for (const flags of ['00', '01']) expect(await idOf(`00-${traceId}-${parentId}-${flags}`)).toBe(traceId)
    expect(await idOf(`cc-${traceId}-${parentId}-03-more`)).toBe(traceId)
    await until(() => collector.spans.length >= 2)
    expect(collector.spans.map((span) => span.parentSpanId)).toContain(parentId)
    for (const none of [
      '',
      `0g-${traceId}-${parentId}-01`,
      `ff-${traceId}-${parentId}-01`,
      `00-${traceId.toUpperCase()}-${parentId}-01`,
      `00-${'0'.repeat(32)}-${parentId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId}-${parentId}-01-more`,
      `00-${traceId}-${parentId}`,
      `cc-${traceId}-${parentId}-01-${'x'.repeat(100)}`,
    ]) {
      const [, named] = none.split('-')
      expect([none, await idOf(none)]).toEqual([
        none,
        expect.not.stringMatching(new RegExp(`^(?:${traceId}|${named})$`, 'i')),
      ])
    }
  })

  it('of a caller names the trace in the answer, the log and the spans', async () => {
    const collector = await startCollector()
    const { gateway, lines } = await begin({ endpoint: collector.url, sample: 1 }, [
      await startNodeWith((request) => void request.socket.destroy()),
    ])
    const answer = await ask(gateway, frame('eth_gasPrice'), sampled)
    expect([answer.headers['x-trace-id'], JSON.parse(answer.body).error.data]).toEqual([traceId, { traceId }])
    expect(lines.map((line) => JSON.parse(line).traceId)).toContain(traceId)
    await until(() => collector.spans.length >= 2)
    expect(collector.spans[0]).toMatchObject({ traceId, parentSpanId: parentId, status: { code: 2 } })
  })

  it('has its caller sampled up to a rate, since callers are strangers', async () => {
    const collector = await startCollector()
    const { gateway } = await begin({ endpoint: collector.url, sample: 0, callersPerSecond: 1 }, [await startNode()])
    for (let i = 0; i < 40; i++) await ask(gateway, frame('eth_gasPrice', [i]), sampled)
    await ask(gateway, frame('eth_syncing'))
    await until(() => collector.spans.length >= 2)
    await gateway.close(0)
    const methods = collector.spans.filter(({ kind }) => kind === 2).map(({ name }) => name)
    // Two at once, and one more for each second that the test takes.
    expect(methods.length).toBeLessThan(20)
    expect(new Set(methods)).toEqual(new Set(['eth_gasPrice']))
  })

  it('is not read where nothing is traced', async () => {
    const node = await startNode()
    onTestFinished(() => node.close())
    const gateway = await startTestGateway([node.url])
    onTestFinished(() => gateway.close(0))
    expect((await ask(gateway, frame('eth_gasPrice'), sampled)).headers['x-trace-id']).not.toBe(traceId)
  })

  it.each([
    [true, /^00-4bf92f3577b34da6a3ce929d0e0e4736-[\da-f]{16}-01$/],
    [undefined, undefined],
  ])('goes to upstreams only where tracing.propagate is %s', async (propagate, expected) => {
    const collector = await startCollector()
    const node = await startNode()
    const { gateway } = await begin({ endpoint: collector.url, sample: 1, ...(propagate && { propagate }) }, [node])
    await ask(gateway, frame('eth_gasPrice'), sampled)
    const reported = node.headers[0]!['traceparent'] as string | undefined
    if (expected === undefined) return expect(reported).toBeUndefined()
    expect(reported).toMatch(expected)
    await until(() => collector.spans.length >= 2)
    // That of the attempt.
    expect(collector.spans.find(({ kind }) => kind === 3)!.spanId).toBe(reported!.split('-')[2])
  })
})

describe('a collector', () => {
  it('that is busy gets the same batch again, and calls go on', async () => {
    const collector = await startCollector((response, nth) => {
      if (nth === 1) response.writeHead(503, { 'retry-after': '0' })
      response.end()
    })
    const { gateway } = await begin({ endpoint: collector.url, sample: 1 }, [await startNode()])
    expect((await ask(gateway, frame('eth_gasPrice'))).status).toBe(200)
    await until(() => collector.bodies.length >= 2)
    expect(collector.bodies[1]).toBe(collector.bodies[0])
    expect((await send(gateway.admin, '/metrics')).body).not.toMatch(/wayleave_dropped_spans_total [1-9]/)
  })

  it.each([
    ['refuses', (response: ServerResponse) => void response.writeHead(400).end('bad'), 2],
    [
      'rejects some',
      (response: ServerResponse) => void response.end('{"partialSuccess":{"rejectedSpans":"1","errorMessage":"x"}}'),
      1,
    ],
    ['sends elsewhere', (response: ServerResponse) => void response.writeHead(302, { location: 'http://x' }).end(), 2],
  ])('that %s has its spans counted as dropped', async (_what, answer, dropped) => {
    const collector = await startCollector(answer)
    const { gateway } = await begin({ endpoint: collector.url, sample: 1 }, [await startNode()])
    await ask(gateway, frame('eth_gasPrice'))
    const metric = `wayleave_dropped_spans_total ${dropped}`
    for (let isReported = false; !isReported; await sleep(10)) {
      isReported = (await send(gateway.admin, '/metrics')).body.includes(metric)
    }
    expect(collector.bodies).toHaveLength(1)
  })

  it('that is gone or mute delays no call, and not the end of the gateway', async () => {
    const mute = await startCollector(() => {})
    for (const endpoint of [`${await refusedUrl()}/v1/traces`, mute.url]) {
      const { gateway } = await begin({ endpoint, sample: 1 }, [await startNode()])
      for (let i = 0; i < 20; i++) expect((await ask(gateway, frame('eth_gasPrice', [i]))).status).toBe(200)
      await gateway.close()
    }
  })

  it('is another one after a reload, or none, without a restart', async () => {
    const [first, second] = [await startCollector(), await startCollector()]
    const node = await startNode()
    onTestFinished(() => node.close())
    const config = (endpoint: string | undefined): Config => ({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { mainnet: { kind: 'evm', chainId: 1, followHeads: false, upstreams: [node.url] } },
      projects: [{ name: 'open', keys: [{ key }] }],
      ...(endpoint !== undefined && { tracing: { endpoint, sample: 1 } }),
    })
    const { startGateway } = await import('@wayleave/gateway')
    const gateway = await startGateway(config(first.url), { surroundings: hasty, log: createLog({ level: 'silent' }) })
    onTestFinished(() => gateway.close(0))
    await ask(gateway, frame('eth_gasPrice'))
    expect((await gateway.reload(config(second.url))).applied).toBe(true)
    // Waiting messages were sent to the one that they were meant for.
    await until(() => first.spans.length >= 2)
    await ask(gateway, frame('eth_syncing'))
    await until(() => second.spans.length >= 2)
    expect((await gateway.reload(config(undefined))).applied).toBe(true)
    await ask(gateway, frame('eth_chainId'))
    await gateway.close(0)
    const methods = [first, second].map(({ spans }) => spans.filter(({ kind }) => kind === 2).map(({ name }) => name))
    expect(methods).toEqual([['eth_gasPrice'], ['eth_syncing']])
  })
})
