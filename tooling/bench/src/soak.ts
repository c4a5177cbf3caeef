// `node src/soak.ts [--minutes N] [--rate N] [--json]`: 1,000 calls a second through the gateway, over a node that takes 5 ms, while it reloads
// and answers of 20 MB pass. Prints p50 and p99 beside those of calls straight to the node at the same time.
import { parseArgs } from 'node:util'
import { createLargeCall, smallCall } from './calls.ts'
import { systemClock as clock } from './defaults.ts'
import { BenchError } from './error.ts'
import { createIds, Load } from './load/load.ts'
import { describeMachine } from './machine.ts'
import { percentile } from './statistics.ts'
import { gateway } from './subjects/gateway.ts'
import { straight } from './subjects/straight.ts'
import type { Subject } from './subjects/subject.ts'
import { startUpstream } from './subjects/upstream.ts'
import { printTable } from './table.ts'

const usage = `node tooling/bench/src/soak.ts [options]

  --minutes N   length (1)
  --rate N      calls a second through the gateway; a tenth of it goes straight to the node (1000)
  --json        prints JSON instead of a table
`
const nodeMs = 5
const segmentMs = 10_000
const connections = 64
/** Segments between two reloads, and between two passages of 20 MB. */
const reloadEach = 6
const largeEach = 3
/** The most that the gateway may add, in ms. */
const most = { p50: 1, p99: 5 } as const

interface Side {
  readonly load: Load
  readonly rate: number
  readonly latencies: number[]
}

/** Passes 20 MB of logs, two answers of 10 MB, beside the calls. */
async function passLogs(subject: Subject, nextId: () => number): Promise<void> {
  const kind = createLargeCall()
  const { name, target } = subject
  await using load = await Load.open({ subject: name, target, kind, connections: 2, clock, nextId })
  // Each connection sends one, and none again.
  await load.closedLoop(0)
}

async function run(minutes: number, rate: number) {
  await using stack = new AsyncDisposableStack()
  const nextId = createIds()
  const upstream = stack.use(await startUpstream(clock, 12_000, nodeMs))
  const given = { upstreamPort: upstream.port, suite: 'small', clock } as const
  const [ours, node] = [stack.use(await gateway.start(given)), stack.use(await straight.start(given))]
  const open = async ({ name, target }: Subject, each: number): Promise<Side> => {
    const load = stack.use(await Load.open({ subject: name, target, kind: smallCall, connections, clock, nextId }))
    await load.fixedRate(each, 2_000)
    return { load, rate: each, latencies: [] }
  }
  const sides = [await open(ours, rate), await open(node, rate / 10)] as const
  const segments = Math.max(1, Math.round((minutes * 60_000) / segmentMs))
  let [reloads, passages, late] = [0, 0, 0]
  for (let segment = 0; segment < segments; segment++) {
    const beside: Promise<void>[] = []
    if (segment % largeEach === largeEach - 1) {
      beside.push(passLogs(ours, nextId))
      passages++
    }
    if (segment % reloadEach === reloadEach - 1 || segment === segments - 1) {
      beside.push(ours.reload!())
      reloads++
    }
    const calls = Promise.all(sides.map(({ load, rate: each }) => load.fixedRate(each, segmentMs)))
    const [measured] = await Promise.all([calls, ...beside])
    for (const [i, { latencies, lateness }] of measured.entries()) {
      for (const ms of latencies) sides[i]!.latencies.push(ms)
      late = Math.max(late, percentile(lateness, 50))
    }
    const shown = measured.map(({ latencies }) => `p99 ${percentile(latencies, 99).toFixed(1)} ms`)
    process.stderr.write(`${segment + 1}/${segments}: gateway ${shown[0]}, straight ${shown[1]}\n`)
  }
  const figures = sides.map(({ latencies }) => ({
    calls: latencies.length,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    max: percentile(latencies, 100),
  }))
  return { minutes, rate, reloads, passages, lateMs: late, gateway: figures[0]!, straight: figures[1]! }
}

function parse(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const
    const { values } = parseArgs({
      args: args.filter((arg) => arg !== '--'),
      options: { minutes: text, rate: text, json: { type: 'boolean', default: false }, help: { type: 'boolean' } },
    })
    const [minutes, rate] = [Number(values.minutes ?? 1), Number(values.rate ?? 1_000)]
    if (!(minutes > 0) || !(rate >= 10)) throw new Error('--minutes takes a number above 0, --rate one of at least 10')
    return { ...values, minutes, rate }
  } catch (cause) {
    throw new BenchError('usage', `${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

async function main(): Promise<void> {
  const { minutes, rate, json, help } = parse(process.argv.slice(2))
  if (help === true) return void process.stdout.write(usage)
  const missing = gateway.missing()
  if (missing !== undefined) throw new BenchError('subject', missing)
  const machine = describeMachine()
  const result = await run(minutes, rate)
  const more = { p50: result.gateway.p50 - result.straight.p50, p99: result.gateway.p99 - result.straight.p99 }
  const holds = more.p50 <= most.p50 && more.p99 <= most.p99
  process.exitCode = holds ? 0 : 1
  if (json) return void process.stdout.write(`${JSON.stringify({ ...result, more, most, holds, machine })}\n`)
  const row = (name: string, { calls, p50, p99, max }: typeof result.gateway): string[] => [
    name,
    String(calls),
    ...[p50, p99, max].map((ms) => ms.toFixed(2)),
  ]
  const table = printTable(
    ['', 'calls', 'p50 ms', 'p99 ms', 'max ms'],
    [
      row('gateway', result.gateway),
      row('straight', result.straight),
      ['more', '', more.p50.toFixed(2), more.p99.toFixed(2), ''],
      ['at most', '', most.p50.toFixed(2), most.p99.toFixed(2), ''],
    ],
  )
  const lines = [
    ...machine.map(([name, value]) => `${name}: ${value}`),
    `${rate} calls/s for ${minutes} min, ${result.reloads} reloads, ${result.passages} times 20 MB of logs; the load itself was ${result.lateMs.toFixed(2)} ms late`,
    '',
    table,
    '',
    holds ? 'the bar holds' : 'the bar does not hold',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

process.setMaxListeners(100)
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof BenchError ? error.message : (error as Error).stack}\n`)
  process.exit(error instanceof BenchError && error.code === 'usage' ? 2 : 1)
}
