import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@wayleave/bench/defaults'
import { type GasLoad, openGasLoad } from '@wayleave/bench/gas-load'
import { cpuNanos, processTree } from '@wayleave/bench/process-usage'
import { median, pairedRatios, rotate } from '@wayleave/bench/statistics'
import type { Product } from '../pool-bars/gateways/gateway.ts'
import { wayleave } from '../pool-bars/gateways/wayleave.ts'
import { type Figure, figure } from '../pool-bars/measure/figure.ts'
import { Child } from '../starvation/measure/child.ts'
import { chainId, firstHeight, hex } from './cache-chain.ts'
import { startCacheNode } from './start-cache-node.ts'

/** The reads of both sizes, at a final block, and the most that ours may cost, in costs of the bare server. */
const reads = [
  {
    name: '60 bytes',
    method: 'eth_getBalance',
    first: `0x${'ab'.repeat(20)}`,
    second: hex(firstHeight - 200),
    most: 1.5,
  },
  { name: '2 kB', method: 'eth_getBlockByNumber', first: hex(firstHeight - 200), second: false, most: 1.6 },
] as const
const mostOfErpc = 1 / 3
const connections = 32
const warmCalls = 20_000

interface Subject {
  readonly name: string
  readonly pid: number
  readonly open: () => Promise<GasLoad>
  /** CPU microseconds a call, of each round. */
  readonly micros: number[]
  calls: number
}

export interface CpuOptions {
  readonly erpc: Product | undefined
  readonly rounds: number
  readonly secondsEach: number
  readonly signal: AbortSignal
  readonly progress: (line: string) => void
}

/**
 * Measures the CPU time of cached reads over keep-alive HTTP: ours, a bare node:http server's with the same bytes, and eRPC's, in
 * interleaved rounds. @throws Error where an answer is not the one before it
 */
export async function measureCpu(options: CpuOptions): Promise<readonly Figure[]> {
  await using stack = new AsyncDisposableStack()
  const node = await startCacheNode(stack, { blockMs: 12_000, startedAt: Date.now() })
  const upstreams = [{ name: 'a', url: node.url }]
  const ours = stack.use(await wayleave.start({ chainId, upstreams }))
  const theirs =
    options.erpc === undefined ? undefined : stack.use(await options.erpc.start({ chainId, upstreams, cache: true }))
  const figures: Figure[] = []
  for (const read of reads) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: read.method, params: [read.first, read.second] })
    const subjects: Subject[] = []
    const add = async (name: string, pid: number, url: string): Promise<Response> => {
      const answer = await settle(url, body, () => node.takeCalls(), read.method)
      const { host, port, pathname } = new URL(url)
      const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`
      const request = `${head}content-length: ${body.length}\r\n\r\n${body}`
      const expected = Buffer.from(await answer.clone().arrayBuffer())
      const given = { subject: name, port: Number(port), request, body: expected, connections, clock: systemClock }
      subjects.push({ name, pid, open: () => openGasLoad(given), micros: [], calls: 0 })
      return answer
    }
    const answer = await add('Wayleave', ours.pid, ours.url)
    const bare = stack.use(new Child(new URL('bare-process.ts', import.meta.url)))
    // node:http adds these by itself.
    const headers = [...answer.headers].filter(([name]) => !/^(?:connection|keep-alive|date)$/.test(name)).flat()
    const port = await bare.ask<number>('start', { headers, body: await answer.text() })
    await add('bare node:http', bare.pid, `http://127.0.0.1:${port}${new URL(ours.url).pathname}`)
    if (theirs !== undefined) await add('eRPC', theirs.pid, theirs.url)
    // The code of each is compiled, and eRPC's heap has its size.
    for (const { open } of subjects) {
      const load = await open()
      for (let warm = 0; warm < warmCalls;) warm += (await load.closedLoop(500)).calls
      load.close()
    }
    await node.takeCalls()
    for (let round = 0; round < options.rounds; round++) {
      for (const subject of rotate(subjects, round)) {
        options.signal.throwIfAborted()
        await measureRound(subject, options.secondsEach)
      }
      options.progress(`${read.name}, round ${round + 1}: ${subjects.map(printLast).join(', ')}`)
    }
    figures.push(...figuresOf(read, subjects, (await node.takeCalls())[read.method] ?? 0))
  }
  return figures
}

const printLast = ({ name, micros }: Subject): string => `${name} ${micros.at(-1)!.toFixed(1)} µs`
const times = (value: number): string => `${value.toFixed(2)}x`

function figuresOf(
  { name, most }: (typeof reads)[number],
  subjects: readonly Subject[],
  asked: number,
): readonly Figure[] {
  const [ours, bare, theirs] = subjects as [Subject, Subject, Subject | undefined]
  const ratio = (base: Subject): number => median(pairedRatios(ours.micros, base.micros))
  return [
    ...subjects.map((each) => {
      const micros = (value: number): string => `${value.toFixed(1)} µs of CPU a call, of ${each.calls} calls`
      return figure(`${name}, ${each.name}`, median(each.micros), micros)
    }),
    figure(`${name}, ours to the bare server`, ratio(bare), times, { most }),
    ...(theirs === undefined ? [] : [figure(`${name}, ours to eRPC`, ratio(theirs), times, { most: mostOfErpc })]),
    // Calls for heads have the method of the large read.
    figure(`${name}, calls at the node meanwhile`, asked, String),
  ]
}

async function measureRound(subject: Subject, seconds: number): Promise<void> {
  const load = await subject.open()
  try {
    // Connections are accepted, and caches of the processor have the subject.
    await load.closedLoop(200)
    const pids = processTree(subject.pid)
    const before = cpuNanos(pids)
    const { calls } = await load.closedLoop(seconds * 1_000)
    subject.micros.push(Number(cpuNanos(pids) - before) / 1_000 / calls)
    subject.calls += calls
  } finally {
    load.close()
  }
}

/** Asks until the answer comes from memory. @throws Error after 20 s */
async function settle(
  url: string,
  body: string,
  takeCalls: () => Promise<Readonly<Record<string, number>>>,
  method: string,
): Promise<Response> {
  const until = performance.now() + 20_000
  for (;;) {
    await takeCalls()
    const answers = []
    for (let i = 0; i < 5; i++) {
      answers.push(await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } }))
    }
    // Its own calls for heads have the method of the large read: they are rarer than five in a row.
    if (((await takeCalls())[method] ?? 0) < 5) return answers.at(-1)!
    if (performance.now() > until) throw new Error(`${url}: ${await answers.at(-1)!.text()} is not kept`)
    await sleep(250)
  }
}
