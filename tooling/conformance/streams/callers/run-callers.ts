import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from '../../two-nodes/nodes/ask-node.ts'
import { Child } from '../../starvation/measure/child.ts'
import { percentile } from '../../starvation/measure/percentile.ts'
import { coreTime } from '../../starvation/measure/process-figures.ts'
import { contractAt, contractCount, topicAt, topicCount } from '../chain/clock-chain.ts'
import type { ClockNodes } from '../chain/clock-nodes.ts'
import { configOf, paths } from '../gateway.ts'
import type { CallerFigures, OpenCallers } from './caller-process.ts'
import { startMeasuredGateway } from './measured-gateway.ts'
import { startCallerBeside } from './caller-beside.ts'

export interface RunCallersOptions {
  readonly chain: ClockNodes
  readonly callers: number
  /** Blocks over which is measured. */
  readonly blocks: number
  readonly verify: string
  readonly report: (line: string) => void
}

type Counts = Readonly<Record<string, number>>

export interface Times {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Times in ms. */
export interface CallersResult {
  readonly callers: number
  readonly blocks: number
  /** Subscriptions that callers have, by kind. */
  readonly open: Counts
  /** Events that callers were told a block, by kind. */
  readonly eventsPerBlock: Counts
  readonly problems: Counts
  /** Subscriptions at each upstream, by kind. */
  readonly upstreamSubscriptions: readonly Counts[]
  /** Questions to all upstreams a block, by method. */
  readonly callsPerBlock: Counts
  /** Questions for data to all upstreams a block: logs and receipts. */
  readonly dataCallsPerBlock: number
  /** Questions to all upstreams while nobody subscribes, by method; those after the last caller has left. */
  readonly idleCalls: Counts
  readonly afterCalls: Counts
  readonly idleSeconds: number
  /** Time from a block until its head has reached all who subscribe to heads; a block whose head did not reach all is not in it. */
  readonly headToAll: Times & { readonly blocks: number }
  /** Likewise until the gateway's first write of that head was taken by its system, and its last one; what follows is the callers' own time. */
  readonly headBegun: Times
  readonly headWritten: Times
  /** Round trips of a caller beside them who asks for the chain's id every 10 ms, over HTTP: without the others, and among them. */
  readonly beside: { readonly alone: Times; readonly among: Times }
  /** Heads that did not reach everyone. */
  readonly headsShort: number
  /** Resident memory that a caller adds, in kB, and the part of it that V8 reports. */
  readonly kbPerCaller: number
  readonly heapKbPerCaller: number
  /** By how much V8's free room for new objects grew, in MB for all callers: by the rate of what is made, and not by their count. */
  readonly youngMb: number
  /** Time on a core of the gateway's process a block. */
  readonly cpuPerBlock: number
}

/** The mix of kinds: two fifths heads, two fifths logs, a tenth each of the others. */
const kindsOfTen = [
  'newHeads',
  'logs',
  'newHeads',
  'logs',
  'newHeads',
  'logs',
  'newHeads',
  'logs',
  'transactionReceipts',
  'newPendingTransactions',
]
const dataMethods = new Set([
  'eth_getLogs',
  'eth_getBlockReceipts',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
])
const processes = 2
const warmCallers = 200
const settleMs = 3_000
/** A head is waited for this long, in ms. */
const lateMs = 1_000
const program = new URL('caller-process.ts', import.meta.url)

/** Opens one subscription for each of many callers of one gateway, and counts what that costs the gateway and its upstreams. */
export async function runCallers({
  chain,
  callers,
  blocks,
  verify,
  report,
}: RunCallersOptions): Promise<CallersResult> {
  needFiles(callers + 1_000)
  await using gateway = await startMeasuredGateway(configOf({ chain, verify }, '127.0.0.1:0'))
  await using group = new AsyncDisposableStack()
  const children = Array.from({ length: processes }, () => group.use(new Child(program)))
  const idleMs = Math.max(2_000, 5 * chain.blockMs)

  const open = async (count: number, from: number): Promise<void> => {
    const all = Array.from({ length: count }, (_, i) => paramsOf(from + i))
    await Promise.all(
      children.map((child, i) => {
        const params = all.filter((_, at) => at % processes === i)
        return child.ask('open', { ws: gateway.ws, path: paths.ws, params } satisfies OpenCallers)
      }),
    )
  }
  const each = (question: string): Promise<unknown> => Promise.all(children.map((child) => child.ask(question)))
  const figures = (): Promise<readonly CallerFigures[]> =>
    Promise.all(children.map((child) => child.ask<CallerFigures>('figures')))

  await sleep(settleMs)
  let before = await countsOf(chain)
  await sleep(idleMs)
  const idleCalls = difference((await countsOf(chain)).calls, before.calls)
  const beside = `${gateway.ws.replace('ws:', 'http:')}${paths.http}`
  const alone = startCallerBeside(beside)
  await sleep(settleMs)
  const besideAlone = timesOf(await alone.stop())
  report('idle: measured')

  // Code is compiled and buffers are allocated before memory is measured.
  await open(Math.min(warmCallers, callers), 0)
  await sleep(2 * chain.blockMs)
  await each('close')
  await sleep(settleMs)
  const idleMemory = await gateway.settledMemory()
  await open(callers, 0)
  await sleep(settleMs + chain.blockMs)
  const memory = await gateway.settledMemory()
  report(`${callers} callers: open`)
  const opening = merged(await figures(), 'problems')

  // Collections held the gateway up; it tells what it owes before anything is counted.
  await sleep(settleMs + 2 * chain.blockMs)
  await each('reset')
  // Between two blocks.
  await sleep(chain.chain.madeAt(chain.height() + 1) + chain.blockMs / 2 - Date.now())
  const from = chain.height() + 1
  before = await countsOf(chain)
  const ran = coreTime(gateway.pid).ran
  const among = startCallerBeside(beside)
  await sleep(chain.chain.madeAt(from + blocks - 1) + chain.blockMs / 2 - Date.now())
  const cpu = coreTime(gateway.pid).ran - ran
  const besideAmong = timesOf(await among.stop())
  const after = await countsOf(chain)
  const events = merged(await figures(), 'events')
  await sleep(lateMs)
  const reported = await figures()
  const written = await gateway.writtenHeads()
  report(`${blocks} blocks: measured`)
  await each('close')
  await sleep(settleMs)
  const leaving = await countsOf(chain)
  await sleep(idleMs)
  const afterCalls = difference((await countsOf(chain)).calls, leaving.calls)

  const openNow = merged(reported, 'open')
  const delays = delaysOf(reported, openNow['newHeads'] ?? 0, chain, from, blocks)
  const whole = written.filter(
    ({ number, count }) => number >= from && number < from + blocks && count === openNow['newHeads'],
  )
  const callsPerBlock = scaled(difference(after.calls, before.calls), blocks)
  const dataCalls = Object.entries(callsPerBlock).filter(([method]) => dataMethods.has(method))
  const kb = (bytes: number): number => bytes / callers / 1_000
  return {
    callers,
    blocks,
    open: openNow,
    eventsPerBlock: scaled(events, blocks),
    problems: summed([opening, merged(reported, 'problems')]),
    upstreamSubscriptions: after.subscriptions,
    callsPerBlock,
    dataCallsPerBlock: dataCalls.reduce((sum, [, count]) => sum + count, 0),
    idleCalls,
    afterCalls,
    idleSeconds: idleMs / 1_000,
    headToAll: { ...timesOf(delays), blocks: delays.length },
    headBegun: timesOf(whole.map(({ number, firstAt }) => firstAt - chain.chain.madeAt(number))),
    headWritten: timesOf(whole.map(({ number, lastAt }) => lastAt - chain.chain.madeAt(number))),
    beside: { alone: besideAlone, among: besideAmong },
    headsShort: blocks - delays.length,
    kbPerCaller: kb(memory.rss - idleMemory.rss),
    heapKbPerCaller: kb(memory.heapUsed + memory.external - idleMemory.heapUsed - idleMemory.external),
    youngMb: (memory.youngFree - idleMemory.youngFree) / 1e6,
    cpuPerBlock: cpu / blocks,
  }
}

const timesOf = (all: number[]): Times => ({
  p50: percentile(all, 50),
  p99: percentile(all, 99),
  max: percentile(all, 100),
})

/** The params of the caller at a place; no two callers have the same filter. */
export function paramsOf(index: number): readonly [string, ...unknown[]] {
  const kind = kindsOfTen[index % kindsOfTen.length]!
  if (kind !== 'logs') return [kind]
  const own = `0x${index.toString(16).padStart(64, '0')}`
  const address = contractAt(index % contractCount)
  return [kind, { address, topics: [[topicAt(Math.floor(index / contractCount) % topicCount), own]] }]
}

/** For each block whose head reached all: the time from the block to the last of them. */
function delaysOf(
  reported: readonly CallerFigures[],
  expected: number,
  chain: ClockNodes,
  from: number,
  blocks: number,
) {
  const delays: number[] = []
  for (let number = from; number < from + blocks; number++) {
    const times = reported.flatMap(({ heads }) => heads.find((head) => head.number === number)?.times ?? [])
    if (expected === 0 || times.length !== expected) continue
    delays.push(times.reduce((a, b) => Math.max(a, b), 0) - chain.chain.madeAt(number))
  }
  return delays
}

interface NodeCounts {
  readonly calls: Counts
  readonly subscriptions: Counts
}

async function countsOf({ nodes }: ClockNodes) {
  const all = await Promise.all(nodes.map(({ url }) => askNode<NodeCounts>(url, 'rig_counts')))
  return { calls: summed(all.map(({ calls }) => calls)), subscriptions: all.map(({ subscriptions }) => subscriptions) }
}

const merged = (reported: readonly CallerFigures[], member: 'open' | 'events' | 'problems'): Counts =>
  summed(reported.map((each) => each[member]))

function summed(all: readonly Counts[]): Counts {
  const sums = new Map<string, number>()
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count)
  return Object.fromEntries(sums)
}

const difference = (after: Counts, before: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, count]) => count !== 0),
  )

const scaled = (counts: Counts, by: number): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / by]))

/** @throws Error where a process may not open so many files. */
function needFiles(count: number): void {
  const most = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
  if (most !== undefined && Number(most) < count)
    throw new Error(`a process may open ${most} files, and ${count} are needed: run "ulimit -n ${count}" first`)
}
