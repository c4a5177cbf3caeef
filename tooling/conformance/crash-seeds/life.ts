import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@wayleave/jsonrpc-core'
import { createSpool, createUsage, type SpoolFile, type UsageBatch } from '@wayleave/metering'
import { openSpoolFile } from '@wayleave/metering/node'
import { openStores, type StoresOptions } from '@wayleave/stores'
import { createRandom } from './random.ts'

/** The first argument of this program, as JSON. */
export interface LifeOptions {
  readonly folder: string
  readonly store: StoresOptions
  readonly seed: number
  /** Counts the lives of a seed from 0. */
  readonly life: number
  /** Kills itself at a moment of its seed; else somebody kills it. */
  readonly killsItself: boolean
}

/** A line that the program prints at once, before it goes on. */
export type LifeLine =
  /** Calls by key that it is about to count. */
  | { readonly counted: readonly (readonly [key: string, calls: number])[] }
  /** All that was counted so far is flushed. */
  | { readonly safe: true }
  | { readonly dies: string }
  | { readonly closed: true }

/*
 * Counts usage with the code of the gateway, on a real file and a real database, until it is killed: before, amid or after an operation of
 * the file or the store. Amid an append leaves a first part of it; amid a store's work is some turns of the event loop later; after it is
 * before the spool learns that it is done.
 */

const moments = ['before', 'amid', 'after'] as const
const options = JSON.parse(process.argv[2]!) as LifeOptions
const { folder, store, seed, life, killsItself } = options
const random = createRandom(seed * 8 + life)
let operationsLeft = killsItself ? random.int(24) : Number.POSITIVE_INFINITY
const moment = moments[random.int(moments.length)]!
const turnsAmid = random.int(12)
const partAmid = random.int(1_000) / 1_000

function print(line: LifeLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

function die(where: string): void {
  print({ dies: where })
  process.kill(process.pid, 'SIGKILL')
}

/** Does an operation, unless the end of this life comes before, amid or after it. */
async function operate<T>(name: string, work: () => Promise<T>, amid: () => Promise<unknown>): Promise<T> {
  const isLast = operationsLeft-- === 0
  if (isLast && moment === 'before') die(`before ${name}`)
  if (isLast && moment === 'amid') {
    await amid()
    die(`amid ${name}`)
  }
  const done = await work()
  if (isLast) die(`after ${name}`)
  return done
}

const stores = await openStores(store)
const real = await openSpoolFile(join(folder, 'usage.spool'))
const file: SpoolFile = {
  get size() {
    return real.size
  },
  read: real.read,
  append: (bytes) =>
    operate(
      'append',
      () => real.append(bytes),
      () => real.append(bytes.subarray(0, Math.floor(bytes.length * partAmid))),
    ),
  truncate: (size) =>
    operate(
      'truncate',
      () => real.truncate(size),
      async () => {},
    ),
  close: real.close,
}

async function take({ process: name, seq, rows }: UsageBatch): Promise<void> {
  const add = (): Promise<void> => stores.usage.add(name, seq, rows)
  if (random.chance(0.1)) throw new Error('the store is gone')
  await operate('add', add, async () => {
    void add().catch(() => {})
    for (let i = 0; i < turnsAmid; i++) await new Promise<void>((resolve) => void setImmediate(resolve))
  })
  if (random.chance(0.1)) throw new Error('the acknowledgement is lost')
}

/** Waits of the spool between two tries are a fiftieth. */
const clock = { ...systemClock, after: (ms: number, then: () => void) => systemClock.after(ms / 50, then) }
const spool = createSpool({ file, clock, process: `${seed}-${life}`, store: take, timeoutMs: 1_000_000 })
await spool.open()
const usage = createUsage({ clock: systemClock, add: spool.add, flush: spool.flush, flushMs: 1e9 })
const methods = ['eth_call', 'eth_getBalance']
const counters = new Map<string, ReturnType<typeof usage.recorder>['count']>()
function counterOf(key: string): ReturnType<typeof usage.recorder>['count'] {
  let count = counters.get(key)
  if (count === undefined) {
    ;({ count } = usage.recorder({ project: `seed-${seed}`, key, network: 'mainnet' }, new Set(methods)))
    counters.set(key, count)
  }
  return count
}

const steps = killsItself ? 16 : 100_000
for (let step = 0; step < steps; step++) {
  // Some flushes are of several batches.
  const keys = random.chance(0.1) ? 120 + random.int(150) : 1 + random.int(5)
  const counted = Array.from({ length: keys }, (_, i) => [`${life}-${i}`, 1 + random.int(9)] as const)
  print({ counted })
  for (const [key, calls] of counted) {
    for (let i = 0; i < calls; i++) counterOf(key)(methods[i % 2]!, 200, 80)
  }
  if (random.chance(0.1)) continue
  await usage.flush()
  print({ safe: true })
  if (random.chance(0.4)) await spool.drain()
}
if (random.chance(0.5)) die('idle')
await usage.close()
await spool.close()
await stores.close()
print({ closed: true })
