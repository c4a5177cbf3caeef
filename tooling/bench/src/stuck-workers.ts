// Measures how soon a stuck worker is ended and replaced, with free cores and with all of them busy, and that no healthy one is:
// `pnpm --filter @wayleave/bench stuck-workers [TRIES] [SECONDS]`; built before.
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { createLargeCall, createTracesCall } from './calls.ts'
import { systemClock as clock } from './defaults.ts'
import { createIds } from './load/load.ts'
import { describeMachine } from './machine.ts'
import { measureClosedLoop } from './measure.ts'
import { cpuNanos, processTree } from './process-usage.ts'
import { startGateway } from './subjects/gateway.ts'
import { startUpstream } from './subjects/upstream.ts'
import { printTable } from './table.ts'

const [tries = 5, seconds = 60] = process.argv.slice(2).map(Number)
const workers = 2
const cores = availableParallelism()
const nextId = createIds()
await using upstream = await startUpstream(clock)
await using gateway = await startGateway(`${workers} workers`, { upstreamPort: upstream.port, clock }, workers)

/** Keeps every core busy, twice over, until it is called off. */
function burn(): () => void {
  const burners: readonly ChildProcess[] = Array.from({ length: 2 * cores }, () =>
    spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }),
  )
  return () => burners.forEach((burner) => burner.kill('SIGKILL'))
}

/** Finds the worker that has used the most CPU; the process that waits to be one has done nothing. */
function busiest(): number {
  const byCpu = processTree(gateway.pid)
    .slice(1)
    .toSorted((a, b) => Number(cpuNanos([b]) - cpuNanos([a])))
  return byCpu[0]!
}

/** Has a process run without end, through its inspector. */
async function loop(pid: number): Promise<void> {
  process.kill(pid, 'SIGUSR1')
  let targets: readonly { readonly webSocketDebuggerUrl: string }[] | undefined
  while (targets === undefined) {
    await pause(50)
    targets = await fetch('http://127.0.0.1:9229/json/list').then(
      (answer) => answer.json() as Promise<typeof targets>,
      () => undefined,
    )
  }
  const inspector = new WebSocket(targets[0]!.webSocketDebuggerUrl)
  await new Promise((resolve) => inspector.addEventListener('open', resolve))
  const expression = `if (process.pid === ${pid}) for (;;) {}`
  inspector.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }))
}

async function restarts(): Promise<number> {
  const text = await (await fetch(`${gateway.admin}/metrics`)).text()
  return Number(/^wayleave_worker_restarts_total (\d+)/m.exec(text)?.[1])
}

async function areAllBack(): Promise<boolean> {
  const text = await (await fetch(`${gateway.admin}/readyz`)).text()
  return text.includes(`workers: ${workers} of ${workers} serve`)
}

/** Has a worker hang; the ms until it has ended, and until all serve again. */
async function hang(how: 'stopped' | 'looping'): Promise<readonly [ended: number, replaced: number]> {
  const pid = busiest()
  if (how === 'looping') await loop(pid)
  else process.kill(pid, 'SIGSTOP')
  const began = clock.now()
  while (processTree(gateway.pid).includes(pid)) await pause(10)
  const ended = clock.now() - began
  while (!(await areAllBack())) await pause(10)
  return [ended, clock.now() - began]
}

async function tryAll(how: 'stopped' | 'looping', areBusy: boolean, mostMs: number): Promise<readonly string[]> {
  const found: (readonly [number, number])[] = []
  for (let i = 0; i < tries; i++) {
    // A worker that ended early is not replaced at once.
    await pause(11_000)
    const stop = areBusy ? burn() : () => {}
    await pause(areBusy ? 1_000 : 0)
    found.push(await hang(how).finally(stop))
  }
  const shown = (at: 0 | 1): string => found.map((each) => Math.round(each[at])).join(', ')
  const isMet = Math.max(...found.map(([ended]) => ended)) <= mostMs
  return [
    `${how}, ${areBusy ? `${2 * cores} others on ${cores} cores` : 'cores free'}`,
    shown(0),
    shown(1),
    `${mostMs} ms, ${isMet ? 'met' : 'missed'}`,
  ]
}

for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
const rows: (readonly string[])[] = []
for (const areBusy of [false, true]) {
  for (const how of ['stopped', 'looping'] as const) rows.push(await tryAll(how, areBusy, areBusy ? 6_000 : 2_000))
}
console.log(`\n${printTable(['a worker is', 'ended after, ms', 'all serve after, ms', 'target'], rows)}`)

await pause(11_000)
const before = await restarts()
const stop = burn()
try {
  for (const kind of [createLargeCall(), createTracesCall()]) {
    const shared = { subject: gateway, upstream, kind, connections: 8, clock, nextId, leadInMs: 0, peak: false }
    const { perSecond } = await measureClosedLoop({ ...shared, ms: (seconds * 1_000) / 2 })
    console.log(`${kind.title}: ${perSecond!.toFixed(1)} a second on 8 connections beside ${2 * cores} others`)
  }
} finally {
  stop()
}
for (let i = 0; i < 3; i++) {
  process.kill(gateway.pid, 'SIGSTOP')
  await pause(8_000)
  process.kill(gateway.pid, 'SIGCONT')
  await pause(2_000)
}
console.log(
  `healthy workers that were ended in ${seconds} s of full load, and while their primary was stopped three times for 8 s: ${(await restarts()) - before} (target 0)`,
)
