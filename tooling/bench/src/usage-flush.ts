// Measures how long a flush of usage blocks the event loop: `node tooling/bench/src/usage-flush.ts [ROUNDS]`. In each round 1,000 keys
// with 5 methods each have been used, and their 5,000 rows go through a spool on the disk into a database, while turns of the event loop
// are timed, by the wall and by the CPU time of this process: the wall clock tells of other processes, too.
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

interface Turns {
  /** Milliseconds of the longest turn of each flush. */
  readonly longestWall: number[]
  readonly longestCpu: number[]
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
  const turns: Turns = { longestWall: [], longestCpu: [], whole: [] }
  for (let round = -coldRounds; round < rounds; round++) {
    for (const { count } of recorders) for (const name of methods) count(name, 200, 80)
    await new Promise<void>((resolve) => void setImmediate(resolve))
    let isDone = false
    const begun = realClock.now()
    let [at, cpuAt] = [begun, systemClock.cpu()]
    let [longest, longestCpu] = [0, 0]
    const done = usage
      .flush()
      .then(() => spool.drain())
      .then(() => (isDone = true))
    for (;;) {
      await new Promise<void>((resolve) => void setImmediate(resolve))
      const [now, cpu] = [realClock.now(), systemClock.cpu()]
      longest = Math.max(longest, now - at)
      longestCpu = Math.max(longestCpu, cpu - cpuAt)
      ;[at, cpuAt] = [now, cpu]
      if (isDone) break
    }
    await done
    if (round < 0) continue
    turns.longestWall.push(longest)
    turns.longestCpu.push(longestCpu)
    turns.whole.push(realClock.now() - begun)
  }
  await usage.close()
  await spool.close()
  return turns
}

function percentile(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(1)
}

const folder = mkdtempSync(join(tmpdir(), 'usage-flush-'))
const rows: string[][] = []
function add(name: string, { longestWall, longestCpu, whole }: Turns): void {
  for (const [what, longest] of [
    ['wall', longestWall],
    ['CPU', longestCpu],
  ] as const) {
    const figures = [percentile(longest, 0.5), percentile(longest, 0.99)]
    rows.push([`${name}, ${what}`, ...figures, what === 'wall' ? percentile(whole, 0.5) : ''])
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
console.log(`ms, of ${rounds} flushes of 5,000 rows; the 99th of 100 longest turns may have ${allowanceMs}`)
console.log(printTable(['store', 'longest turn of a flush, median', '99th of 100', 'whole flush'], rows))
