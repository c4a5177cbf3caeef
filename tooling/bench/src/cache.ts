// Measures the response cache in this process: `node tooling/bench/src/cache.ts [ITERATIONS]`. The first table is CPU microseconds a call; the
// second one the hits of its memory and of lru-cache under the same bound, over the same questions.
import { type CallContext, createContext, rawJsonFromText, type RpcHandler } from '@wayleave/jsonrpc-core'
import { createMemoryStore, createRpcCache, type MemoryStore } from '@wayleave/rpc-cache'
import { LRUCache } from 'lru-cache'
import { createTraces, mixedLength, random, type Trace } from './cache-traces.ts'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { printTable } from './table.ts'
import { type Stage, timeStages } from './time-stages.ts'

const iterations = Number(process.argv[2] ?? 1_000_000)
const maxBytes = 16 * 1_048_576
const head = { height: 20_000_000, hash: '0xaa' }
const finalized = { height: 19_999_936 }

function createCached(store: MemoryStore, keyOf: () => string, length: number): RpcHandler {
  const text = JSON.stringify('a'.repeat(length - 2))
  const life = { of: 'numbers', to: head.height } as const
  const { middleware } = createRpcCache({
    classify: () => ({ key: keyOf(), life }),
    positionOf: () => undefined,
    admits: () => true,
    chain: { head, finalized, blockTimeMs: 12_000, onReorg: () => () => {} },
    store,
    partition: 'bench',
  })
  return middleware(async () => ({ result: rawJsonFromText(text) }))
}

const context: CallContext = createContext({ timeoutMs: 86_400_000 })
const request = { method: 'eth_getBalance', params: rawJsonFromText('["0x00","latest"]'), notification: false }

function stage(name: string, allowanceMicros: number, length: number, isHit: boolean): Stage {
  let asked = 0
  const key = 'eth_getBalance ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","0x1312d00"]'
  const keyOf = isHit ? () => key : () => `${key}${asked++}`
  const cached = createCached(createMemoryStore({ maxBytes: 4 * maxBytes }), keyOf, length)
  return { name, allowanceMicros, run: () => cached(request, context) }
}

const timed = await timeStages(
  [
    stage('a hit of 70 bytes', 1, 70, true),
    stage('a hit of 2 kB', 1, 2_000, true),
    stage('a miss of 70 bytes, and keeping it', 5, 70, false),
    stage('a miss of 2 kB, and keeping it', 5, 2_000, false),
  ],
  iterations,
  systemClock,
)
context.release()

/** Lengths of answers, by question. */
const next = random(7)
const lengths = new Map<number, number>()
function lengthOf(question: number): number {
  let length = lengths.get(question)
  if (length === undefined) lengths.set(question, (length = mixedLength(next)))
  return length
}

/** Percent of the questions that each memory answers. */
function hitsOf({ ask }: Trace): readonly [number, number] {
  const rounds = 500_000
  const store = createMemoryStore({ maxBytes })
  const ours = store.partition('bench')
  const theirs = new LRUCache<string, number>({ maxSize: maxBytes, sizeCalculation: (size) => size })
  const scratch = createMemoryStore({ maxBytes })
  const empty = scratch.bytes
  const hits: [number, number] = [0, 0]
  for (let i = 0; i < rounds; i++) {
    const question = ask()
    const key = `question ${question}`
    const byteLength = lengthOf(question)
    const kept = { body: new Uint8Array(byteLength), byteLength, isFinal: true }
    if (ours.get(key) !== undefined) hits[0]++
    else ours.set(key, kept)
    if (theirs.get(key) !== undefined) hits[1]++
    else {
      // The same bytes for both.
      scratch.partition('bench').set(key, kept)
      theirs.set(key, scratch.bytes - empty)
      scratch.partition('bench').delete(key)
    }
  }
  return [(hits[0] / rounds) * 100, (hits[1] / rounds) * 100]
}

const rows: string[][] = []
let worst = 0
for (const trace of createTraces()) {
  const [ours, theirs] = hitsOf(trace)
  worst = Math.min(worst, ours - theirs)
  rows.push([trace.name, ours.toFixed(1), theirs.toFixed(1), (ours - theirs).toFixed(1)])
}

for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log('')
console.log(
  printTable(
    ['cache', 'µs a call', 'allowance'],
    timed.map(({ name, micros, allowanceMicros }) => [name, micros.toFixed(2), allowanceMicros.toFixed(1)]),
  ),
)
console.log('')
console.log(printTable(['questions', 'hits %', 'lru-cache %', 'points more'], rows))
process.exitCode = worst >= -2 && timed.every(({ micros, allowanceMicros }) => micros <= allowanceMicros) ? 0 : 1
