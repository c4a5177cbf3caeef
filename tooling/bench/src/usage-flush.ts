// Measures how long a flush of usage blocks the event loop: `node tooling/bench/src/usage-flush.ts [ROUNDS]`. In each round 1,000 keys
// with 5 methods each have been used, and their 5,000 rows go through a spool on the disk into a database, while turns of the event loop
// are timed: by the wall, which tells of other processes, too; by the wall without the waits for a core (blocked); by the CPU time of the
// thread. Turns that only waited are left out: the loop spins here, and any number of them would make the others look rare.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as realClock } from '@wayleave/jsonrpc-core'
import { createSpool, createUsage } from '@wayleave/metering'
import { openSpoolFile } from '@wayleave/metering/node'
import { openStores, type StoresOptions } from '@wayleave/stores'
// @boundaries-ignore Servers for tests are in no package.
import { missingPostgres, startPostgres } from '../../../packages/stores/test/postgres-server.ts'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { printTable } from './table.ts'

const rounds = Number(process.argv[2] ?? 100)
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('expected ROUNDS, a whole number of at least 1')
/** Rounds that compile. */
const coldRounds = 10
const allowanceMs = 5
const methods = ['a', 'b', 'c', 'd', 'e']

/** Turns with less CPU time, in ms, only waited. */
const leastWorkMs = 0.1

const bys = ['wall', 'blocked', 'cpu'] as const

interface Times {
  /** Milliseconds of each turn of all flushes that worked. */
  readonly all: number[]
  /** Milliseconds of the longest turn of each flush. */
  readonly longest: number[]
}

interface Turns {
  readonly wall: Times
  /** Without the time that other processes had the cores; with waits for the disk. */
  readonly blocked: Times
  readonly cpu: Times
  /** Milliseconds from the begin of each flush until the store had all. */
  readonly whole: number[]
}

async function measure(store: StoresOptions, folder: string): Promise<Turns> {
  await using stores = await openStores(store)
  const file = await openSpoolFile(join(folder, `${Object.keys(store)[0]}.spool`))
  const spool = createSpool({
    file,
    clock: realClock,
    process: 'bench',
    store: (batch) => stores.usage.add(batch.process, batch.seq, batch.rows),
    onFailure: (what, why) => console.error(`the ${what} failed: ${String(why)}`),
  })
  await spool.open()
  const usage = createUsage({ clock: realClock, add: spool.add, flush: spool.flush, flushMs: 1e9 })
  const known = new Set(methods)
  const recorders = Array.from({ length: 1_000 }, (_, i) =>
    usage.recorder({ project: `p${i % 50}`, key: `key-${i}`, network: 'mainnet' }, known),
  )
  const turns: Turns = {
    wall: { all: [], longest: [] },
    blocked: { all: [], longest: [] },
    cpu: { all: [], longest: [] },
    whole: [],
  }
  for (let round = -coldRounds; round < rounds; round++) {
    for (const { count } of recorders) for (const name of methods) count(name, 200, 80)
    await new Promise<void>((resolve) => void setImmediate(resolve))
    let isDone = false
    const begun = realClock.now()
    let [at, cpuAt, waitAt] = [begun, systemClock.threadCpu(), systemClock.coreWait()]
    const ofFlush = { wall: [0], blocked: [0], cpu: [0] }
    const done = usage
      .flush()
      .then(() => spool.drain())
      .then(() => (isDone = true))
    for (;;) {
      await new Promise<void>((resolve) => void setImmediate(resolve))
      const [now, cpu, wait] = [realClock.now(), systemClock.threadCpu(), systemClock.coreWait()]
      if (cpu - cpuAt >= leastWorkMs || now - at >= allowanceMs) {
        ofFlush.wall.push(now - at)
        ofFlush.blocked.push(now - at - (wait - waitAt))
        ofFlush.cpu.push(cpu - cpuAt)
      }
      ;[at, cpuAt, waitAt] = [now, cpu, wait]
      if (isDone) break
    }
    await done
    if (round < 0) continue
    for (const by of bys) {
      turns[by].all.push(...ofFlush[by].slice(1))
      turns[by].longest.push(Math.max(...ofFlush[by]))
    }
    turns.whole.push(realClock.now() - begun)
  }
  await usage.close()
  await spool.close()
  return turns
}

function percentile(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]!.toFixed(1)
}

const folder = mkdtempSync(join(tmpdir(), 'usage-flush-'))
const rows: string[][] = []
function add(name: string, turns: Turns): void {
  for (const by of bys) {
    const { all, longest } = turns[by]
    const parts = [0.5, 0.99, 1] as const
    const figures = [all, longest].flatMap((times) => parts.map((part) => percentile(times, part)))
    rows.push([`${name}, ${by}`, String(all.length), ...figures, by === 'wall' ? percentile(turns.whole, 0.5) : ''])
  }
}
try {
  add('sqlite', await measure({ sqlite: join(folder, 'usage.sqlite') }, folder))
  const missing = missingPostgres()
  if (missing === undefined) {
    await using server = await startPostgres()
    add('postgres', await measure({ postgres: await server.createDatabase('usage') }, folder))
  } else console.error(`postgres is not measured: ${missing}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log('')
console.log(`ms, of ${rounds} flushes of 5,000 rows; the 99th percentile of turns may have ${allowanceMs}`)
const heads = ['turn p50', 'p99', 'most', 'longest turn of a flush p50', 'p99', 'most', 'whole flush p50']
console.log(printTable(['store', 'turns', ...heads], rows))
