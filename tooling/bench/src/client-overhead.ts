// Measures the cost of our client over raw `fetch`, and of viem's: `node tooling/bench/src/client-overhead.ts [ROUNDS] [CALLS]`.
// One call after the other over one keep-alive connection, in one process, in rounds that interleave the clients.
import { createHttpTransport, createRpcClient } from '@wayleave/jsonrpc-core'
import { createClient, http } from 'viem'
import { smallCall } from './calls.ts'
import { systemClock } from './defaults.ts'
import { createIds } from './load/load.ts'
import { describeMachine } from './machine.ts'
import { median, pairedRatios, rotate, summarise } from './statistics.ts'
import { startUpstream } from './subjects/upstream.ts'
import { printTable } from './table.ts'

const rounds = Number(process.argv[2] ?? 300)
const calls = Number(process.argv[3] ?? 100)

interface Client {
  readonly name: string
  call(params: readonly unknown[]): Promise<unknown>
  readonly cpu: number[]
}

await using upstream = await startUpstream(systemClock)
const url = `http://127.0.0.1:${upstream.port}/`
const nextId = createIds()
const ours = createRpcClient(createHttpTransport({ url }))
const viem = createClient({ transport: http(url, { retryCount: 0 }) })
const { method } = smallCall
let lastId = 0

/** Calls as a program without a client does: a POST, and the result of its answer. */
async function rawFetch(params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: unknown }).result
}

const clients: readonly Client[] = [
  { name: 'raw fetch', call: rawFetch, cpu: [] },
  { name: '@wayleave/jsonrpc-core', call: (params) => ours.requestUnchecked(method, params), cpu: [] },
  { name: 'viem', call: (params) => viem.request({ method, params } as never), cpu: [] },
]
const expected: unknown = JSON.parse(smallCall.tail.toString('latin1').slice(0, -1))

/** CPU microseconds a call of this process, all threads. */
async function measure({ name, call }: Client): Promise<number> {
  const before = systemClock.cpu()
  for (let i = 0; i < calls; i++) {
    const answer = await call(JSON.parse(smallCall.params(nextId())) as readonly unknown[])
    if (answer !== expected) throw new Error(`${name} gave a wrong answer`)
  }
  return ((systemClock.cpu() - before) * 1_000) / calls
}

for (const client of clients) await measure(client)
for (let round = 0; round < rounds; round++) {
  for (const client of rotate(clients, round)) client.cpu.push(await measure(client))
}
const base = clients[0]!.cpu
const rows = clients.map(({ name, cpu }) => {
  const { median: ratio, min, max } = summarise(pairedRatios(cpu, base))
  return [name, median(cpu).toFixed(1), `${ratio.toFixed(3)} (${min.toFixed(2)} to ${max.toFixed(2)})`]
})
for (const [what, value] of describeMachine()) console.log(`${what}: ${value}`)
console.log(`${rounds} rounds of ${calls} calls, one after the other\n`)
console.log(printTable(['client', 'CPU µs a call', 'of raw fetch: median (least to greatest)'], rows))
