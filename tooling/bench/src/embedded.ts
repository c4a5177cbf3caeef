// Compares a gateway on servers of other programs with its own listener, in paired rounds:
// `pnpm --filter @wayleave/bench embedded [ROUNDS] [CONNECTIONS]`, built before. The ratio of CPU time a call is what a server costs more.
import { smallCall } from './calls.ts'
import { systemClock as clock } from './defaults.ts'
import { createIds } from './load/load.ts'
import { describeMachine } from './machine.ts'
import { measureClosedLoop } from './measure.ts'
import type { Measurement } from './measurement.ts'
import { median, pairedRatios, rotate, summarise } from './statistics.ts'
import { startNode } from './subjects/child.ts'
import type { Subject } from './subjects/subject.ts'
import { startUpstream } from './subjects/upstream.ts'
import { printTable } from './table.ts'

const [rounds = 9, connections = 32] = process.argv.slice(2).map(Number)
const servers = ['its own listener', 'node:http', 'Express', 'Fastify', 'fetch', 'Hono']
const bar = 1.15
const warmMs = 6_000
const nextId = createIds()
await using upstream = await startUpstream(clock)
await using started = new AsyncDisposableStack()

async function start(name: string): Promise<Subject> {
  const args = [name, `http://127.0.0.1:${upstream.port}`]
  const { child, port } = await startNode(clock, new URL('embedded-process.ts', import.meta.url), args)
  started.defer(child.close)
  return {
    name,
    pid: child.pid,
    target: { port, path: '/v3/bench-key', webSocketPath: '' },
    [Symbol.asyncDispose]: child.close,
  }
}

const subjects: Subject[] = []
for (const name of servers) subjects.push(await start(name))

function measure(subject: Subject, ms: number): Promise<Measurement['values']> {
  const shared = { upstream, kind: smallCall, connections, clock, nextId, leadInMs: 200, peak: false }
  return measureClosedLoop({ ...shared, subject, ms })
}

for (const subject of subjects) await measure(subject, warmMs)
const found = new Map<Subject, Measurement['values'][]>(subjects.map((subject) => [subject, []]))
for (let round = 0; round < rounds; round++) {
  for (const subject of rotate(subjects, round)) found.get(subject)!.push(await measure(subject, 2_000))
}
const cpu = (subject: Subject): readonly number[] => found.get(subject)!.map(({ cpuMicros }) => cpuMicros ?? Number.NaN)
const own = cpu(subjects[0]!)
for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log(`\n${smallCall.title}; ${connections} connections, ${rounds} paired rounds of 2 s\n`)
console.log(
  printTable(
    ['server', 'CPU µs a call', `of its own listener: median (least to greatest); bar of node:http ${bar}`],
    subjects.map((subject) => {
      const { median: ratio, min, max } = summarise(pairedRatios(cpu(subject), own))
      return [
        subject.name,
        median(cpu(subject)).toFixed(1),
        `${ratio.toFixed(3)} (${min.toFixed(2)} to ${max.toFixed(2)})`,
      ]
    }),
  ),
)
