// Measures metering in this process: `node tooling/bench/src/metering.ts [ITERATIONS]`. The figures are CPU microseconds a call; the last
// line is the CPU time of the longest turns of a flush, since the wall clock tells of other processes, too.
import { systemClock as realClock } from '@wayleave/jsonrpc-core'
import { createLimits, createPrices, createSpool, createUsage, type Plan } from '@wayleave/metering'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { printTable } from './table.ts'
import { type Stage, timeStages } from './time-stages.ts'

const iterations = Number(process.argv[2] ?? 2_000_000)
const method = 'eth_getBlockByNumber'
const plan: Plan = { perSecond: { credits: 10_000_000, burst: 1_000_000_000 }, perDay: { credits: 1e12 } }
const prices = createPrices()
const usage = createUsage({ clock: realClock, add: () => {}, flush: async () => {} })

/** A call that is admitted and answered, under limits of so many plans. */
function meteredCall(
  name: string,
  allowanceMicros: number,
  keyPlan: Plan | undefined,
  projectPlan: Plan | undefined,
): Stage {
  const limiter = createLimits({ clock: realClock }).of({ id: name, plan: keyPlan }, { id: name, plan: projectPlan })
  const { count } = usage.recorder({ project: 'p', key: 'k', network: 'mainnet' }, new Set([method]))
  return {
    name,
    allowanceMicros,
    run() {
      const price = prices.priceOf('evm', method)
      if (limiter.admit(method, '192.0.2.1', price) !== undefined) throw new Error('the bench ran into its limit')
      count(method, 200, price)
    },
  }
}

const stages = [
  meteredCall('price + usage', 0.3, undefined, undefined),
  meteredCall('price + second and day of a key + usage', 0.8, plan, undefined),
  meteredCall('price + second and day of key and project + usage', 0.8, plan, plan),
]
const timed = await timeStages(stages, iterations, systemClock)
await usage.close()

/** CPU milliseconds of the longest turns while the rows of 1,000 keys with 5 methods each are flushed through a spool in memory. */
async function longestTurns(rounds: number): Promise<readonly number[]> {
  let size = 0
  const file = {
    get size() {
      return size
    },
    read: async () => new Uint8Array(0),
    append: async (bytes: Uint8Array) => void (size += bytes.length),
    truncate: async (to: number) => void (size = to),
    close: async () => {},
  }
  const spool = createSpool({ file, clock: realClock, process: 'bench', store: async () => {} })
  await spool.open()
  const counted = createUsage({ clock: realClock, add: spool.add, flush: spool.flush, flushMs: 1e9 })
  const methods = ['a', 'b', 'c', 'd', 'e']
  const recorders = Array.from({ length: 1_000 }, (_, i) =>
    counted.recorder({ project: `p${i % 50}`, key: `key-${i}`, network: 'mainnet' }, new Set(methods)),
  )
  const longest: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (const { count } of recorders) for (const name of methods) count(name, 200, 80)
    let at = systemClock.cpu()
    let most = 0
    let isDone = false
    const flushed = counted.flush().then(() => (isDone = true))
    // A turn ends where others get theirs.
    for (;;) {
      await new Promise<void>((resolve) => void setImmediate(resolve))
      const now = systemClock.cpu()
      most = Math.max(most, now - at)
      at = now
      if (isDone) break
    }
    await flushed
    longest.push(most)
  }
  await counted.close()
  await spool.close()
  return longest
}

const turns = await longestTurns(120)
// The first rounds compile.
const warm = turns.slice(20).toSorted((a, b) => a - b)

for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log('')
console.log(
  printTable(
    ['metering', 'µs a call', 'allowance'],
    timed.map(({ name, micros, allowanceMicros }) => [name, micros.toFixed(2), allowanceMicros.toFixed(1)]),
  ),
)
console.log('')
console.log(
  `flush of 5,000 rows, CPU ms of the longest turn: median ${warm[50]!.toFixed(1)}, of 100 the 99th ${warm[98]!.toFixed(1)} (allowance 5)`,
)
