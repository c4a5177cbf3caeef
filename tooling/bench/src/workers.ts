// Compares one process with several workers, in paired rounds: `pnpm --filter @wayleave/bench workers [WORKERS] [ROUNDS] [CONNECTIONS]`.
// Calls a second tell what workers bring where each has a core beside those of the load and the node. Where there are fewer, the CPU time
// of a call does: as many workers on free cores answer WORKERS times the calls of one, divided by how much dearer a call has become.
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { smallCall } from './calls.ts'
import { systemClock as clock } from './defaults.ts'
import { createIds } from './load/load.ts'
import { describeMachine } from './machine.ts'
import { measureClosedLoop } from './measure.ts'
import type { Measurement } from './measurement.ts'
import { cpuNanos, processTree } from './process-usage.ts'
import { median, pairedRatios, rotate, summarise } from './statistics.ts'
import { type GatewaySubject, startGateway } from './subjects/gateway.ts'
import { startUpstream } from './subjects/upstream.ts'
import { printTable } from './table.ts'

const [workers = 2, rounds = 9, connections = 64] = process.argv.slice(2).map(Number)
const kills = 5
/** Each worker has its own code to compile, and a part of the calls. */
const warmMs = 6_000
const nextId = createIds()
await using upstream = await startUpstream(clock)
const options = { upstreamPort: upstream.port, clock }
await using one = await startGateway('one process', options, 1)
await using several = await startGateway(`${workers} workers`, options, workers)
const subjects = [one, several]

function measure(subject: GatewaySubject, ms: number): Promise<Measurement['values']> {
  const shared = { upstream, kind: smallCall, connections, clock, nextId, leadInMs: 200, peak: false }
  return measureClosedLoop({ ...shared, subject, ms })
}

for (const subject of subjects) await measure(subject, warmMs)
const found = new Map<GatewaySubject, Measurement['values'][]>(subjects.map((subject) => [subject, []]))
for (let round = 0; round < rounds; round++) {
  for (const subject of rotate(subjects, round)) found.get(subject)!.push(await measure(subject, 2_000))
}

/** Kills a worker, and returns the ms until all serve again. */
async function replace(): Promise<number> {
  // The one that waits to be a worker has done nothing.
  const busy = (pid: number): bigint => cpuNanos([pid])
  const pids = processTree(several.pid)
    .slice(1)
    .toSorted((a, b) => Number(busy(b) - busy(a)))
  process.kill(pids[0]!, 'SIGKILL')
  const began = clock.now()
  const isGone = (): boolean => !processTree(several.pid).includes(pids[0]!)
  const areAllBack = async (): Promise<boolean> => {
    const text = await (await fetch(`${several.admin}/readyz`)).text()
    return text.includes(`workers: ${workers} of ${workers} serve`)
  }
  while (!(isGone() && (await areAllBack()))) await pause(10)
  return clock.now() - began
}

const replaced: number[] = []
for (let kill = 0; kill < kills; kill++) {
  // A worker that ended early is not replaced at once.
  await pause(10_500)
  replaced.push(await replace())
}

const values = (subject: GatewaySubject, name: 'perSecond' | 'cpuMicros'): readonly number[] =>
  found.get(subject)!.map((each) => each[name] ?? Number.NaN)
const rates = pairedRatios(values(several, 'perSecond'), values(one, 'perSecond'))
const capacity = pairedRatios(values(one, 'cpuMicros'), values(several, 'cpuMicros')).map((ratio) => workers * ratio)
const spread = (ratios: readonly number[]): string => {
  const { median: middle, min, max } = summarise(ratios)
  return `${middle.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`
}
for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log(`\n${smallCall.title}; ${connections} connections, ${rounds} paired rounds of 2 s\n`)
console.log(
  printTable(
    ['', 'calls/s', 'CPU µs a call'],
    subjects.map((subject) => [
      subject.name,
      Math.round(median(values(subject, 'perSecond'))).toString(),
      median(values(subject, 'cpuMicros')).toFixed(1),
    ]),
  ),
)
const cores = availableParallelism()
console.log(`\ncalls/s of ${workers} workers over one process, on ${cores} cores with load and node: ${spread(rates)}`)
console.log(`the same by CPU time, on ${workers} free cores (target 1.70): ${spread(capacity)}`)
console.log(
  `a killed worker was replaced within (target 1,000 ms): ${replaced.map((ms) => `${Math.round(ms)} ms`).join(', ')}`,
)
