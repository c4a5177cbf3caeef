// Measures the memory that the response cache takes against its bound: `node tooling/bench/src/cache-memory.ts [INSERTS]`. Answers of mixed sizes
// are asked for through the middleware, above and below the finalized block, with reorgs. Live memory is what is left after a collection.
import { createContext, rawJsonFromChunks, rawJsonFromText } from '@wayleave/jsonrpc-core'
import { createMemoryStore, createRpcCache } from '@wayleave/rpc-cache'
import { createZstd } from '@wayleave/rpc-cache/node'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describeMachine } from './machine.ts'
import { printTable } from './table.ts'
import { mixedLength, random } from './cache-traces.ts'

const inserts = Number(process.argv[2] ?? 10_000_000)
const maxBytes = 256 * 1_048_576
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const mib = (bytes: number): string => (bytes / 1_048_576).toFixed(1)

function liveBytes(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const pool = new Uint8Array(1_048_576).map((_, i) => 48 + ((i * 7) % 10))
const next = random(1)
const reorgs = new Set<(lastKept: number) => void>()
let height = 20_000_000
const store = createMemoryStore({ maxBytes })
const cache = createRpcCache({
  classify: ({ method, params }) => ({
    key: `${method} ${params!.text()}`,
    life: { of: 'numbers', to: height - Math.floor(next() * 200) },
  }),
  positionOf: () => undefined,
  admits: () => true,
  chain: {
    get head() {
      return { height, hash: `0x${height}` }
    },
    get finalized() {
      return { height: height - 64 }
    },
    blockTimeMs: 12_000,
    onReorg(listener) {
      reorgs.add(listener)
      return () => void reorgs.delete(listener)
    },
  },
  store,
  partition: 'bench',
  compression: createZstd(),
})
const cached = cache.middleware(async () => {
  const length = mixedLength(next)
  const from = Math.floor(next() * (pool.length - length))
  return { result: rawJsonFromChunks([pool.subarray(from, from + length)]) }
})

const before = liveBytes()
const rssBefore = process.memoryUsage().rss
const rows: string[][] = []
let most = 0
const context = createContext({ timeoutMs: 86_400_000 })
for (let i = 1; i <= inserts; i++) {
  const params = rawJsonFromText(`["0x${i.toString(16).padStart(64, '0')}"]`)
  await cached({ method: 'eth_getTransactionReceipt', params, notification: false }, context)
  if (i % 1_000 === 0) height++
  if (i % 100_000 === 0) for (const report of reorgs) report(height - 3)
  if (i % Math.ceil(inserts / 10) !== 0) continue
  // The compression that is under way ends first.
  await new Promise((resolve) => void setTimeout(resolve, 50))
  const live = liveBytes() - before
  most = Math.max(most, live)
  const rss = process.memoryUsage().rss - rssBefore
  // One line a row, for whoever waits.
  console.error(`${i} inserts: ${((live / maxBytes) * 100).toFixed(1)} % of the bound`)
  rows.push([i, store.entries, mib(store.bytes), mib(live), ((live / maxBytes) * 100).toFixed(1), mib(rss)].map(String))
}
context.release()
cache.close()
for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log(`\nbound: ${mib(maxBytes)} MiB\n`)
console.log(printTable(['inserts', 'entries', 'counted MiB', 'live MiB', '% of the bound', 'RSS MiB'], rows))
console.log(`\nmost live memory: ${((most / maxBytes) * 100).toFixed(1)} % of the bound (allowance 105)`)
process.exitCode = most <= maxBytes * 1.05 ? 0 : 1
