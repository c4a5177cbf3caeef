import { setTimeout as sleep } from 'node:timers/promises'
import { seeded } from '../ranges/load.ts'
import { createChain } from './chain.ts'
import type { Fault } from './faults.ts'
import { type RedisServer, sendTo } from './redis.ts'
import { type Call, type Outcome, type Replica, startReplica } from './replica.ts'

export interface PhaseOptions {
  readonly redis: RedisServer | undefined
  readonly fault: Fault
  readonly seconds: number
  readonly callsPerSecond: number
  readonly seed: number
  /** The longest wait for Redis, in ms. Default 2. */
  readonly waitMs?: number
}

/** The counts and times of a phase. `shared`: calls that Redis answered. */
export interface Phase {
  readonly calls: number
  readonly wrong: number
  readonly failed: number
  readonly upstream: number
  readonly shared: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const blockTimeMs = 2_000
const tickMs = 10
const [headKeys, oldKeys] = [30, 1_500]
const clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms: number, f: () => void) {
    const timer = setTimeout(f, ms)
    return () => clearTimeout(timer)
  },
}

/** Has two replicas answer a load: 60 % of it over 30 questions about the head, 30 % over 1,500 about old blocks, 10 % asked once. */
export async function runPhase({
  redis,
  fault,
  seconds,
  callsPerSecond,
  seed,
  waitMs = 2,
}: PhaseOptions): Promise<Phase> {
  const random = seeded(seed)
  if (redis !== undefined) await sendTo(redis.url, [['FLUSHALL']])
  const { chain, grow } = createChain(blockTimeMs)
  // A node near by, with a tail: 10 to 40 ms.
  const latencyMs = (): number => 10 * 4 ** random()
  const start = (): Promise<Replica> => startReplica({ url: redis?.url, chain, waitMs, latencyMs, clock })
  await using one = await start()
  await using other = await start()
  const final = chain.finalized!.height
  let asked = 0
  const draw = (): Call => {
    const kind = random()
    if (kind < 0.6) return { name: `head${Math.floor(random() * headKeys)}`, at: undefined }
    if (kind < 0.9) return { name: 'old', at: final - Math.floor(oldKeys * random() ** 2) }
    return { name: `once${asked}`, at: final }
  }
  const under: Promise<Outcome>[] = []
  async function load(): Promise<void> {
    const begun = clock.now()
    let grown = 0
    for (let passed = 0; passed < seconds * 1_000; passed = clock.now() - begun) {
      for (const due = (passed / 1_000) * callsPerSecond; asked < due; asked++)
        under.push((asked % 2 === 0 ? one : other).ask(draw()))
      for (; grown < Math.floor(passed / blockTimeMs); grown++) grow()
      await sleep(tickMs)
    }
    await Promise.all(under)
  }
  if (redis === undefined) await load()
  else await fault.during(redis, load())
  const outcomes = await Promise.all(under)
  const times = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const count = (kind: Outcome['kind']): number => outcomes.filter((outcome) => outcome.kind === kind).length
  const at = (q: number): number => times[Math.floor(q * (times.length - 1))] ?? Number.NaN
  const [first, second] = [one.counts(), other.counts()]
  return {
    calls: outcomes.length,
    wrong: count('wrong'),
    failed: count('failed'),
    upstream: first.upstream + second.upstream,
    shared: first.shared + second.shared,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  }
}
