import type { CallersResult, Times } from './callers/run-callers.ts'
import type { Figures, Tally } from './figures.ts'
import type { ClientsResult } from './run-clients.ts'

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const tally = (reported: Tally | undefined): string =>
  reported === undefined
    ? '– | – | –'
    : `${reported.seen} | ${reported.missed} | ${reported.doubled}, ${reported.misplaced}`

/** Whether a client saw everything once, and in order. */
export const isWhole = ({ heads, logs }: Figures): boolean =>
  [heads, logs].every((each) => each === undefined || each.missed + each.doubled + each.misplaced === 0)

/** Prints figures of clients as a table, and each client's failures below it. */
export function printFigures(title: string, figures: readonly Figures[]): readonly string[] {
  return [
    `${title}`,
    '',
    '| client | heads | missed | doubled, misplaced | logs | missed | doubled, misplaced | longest quiet | |',
    '|---|---|---|---|---|---|---|---|---|',
    ...figures.map((each) => {
      const { client, heads, logs, quietMs } = each
      const quiet = heads === undefined ? '–' : seconds(quietMs)
      return `| ${client} | ${tally(heads)} | ${tally(logs)} | ${quiet} | ${isWhole(each) ? 'holds' : 'broken'} |`
    }),
    '',
    ...figures.flatMap(({ client, failures }) =>
      Object.entries(failures).map(([what, times]) => `${client}, ${times} times: ${what}`),
    ),
  ]
}

export function titleOf({ software, misfortunes, blocks, logs, seconds: took }: ClientsResult): string {
  return `${software}: ${misfortunes} times a node was killed or paused in ${took.toFixed(0)} s, ${blocks} blocks, ${logs} logs`
}

type Counts = Readonly<Record<string, number>>

const milliseconds = ({ p50, p99, max }: Times, digits = 0): string =>
  `p50 ${p50.toFixed(digits)} ms, p99 ${p99.toFixed(digits)} ms, max ${max.toFixed(digits)} ms`

const list = (counts: Counts): string => {
  const all = Object.entries(counts).map(([name, count]) => `${name} ${Number(count.toFixed(2))}`)
  return all.length === 0 ? 'none' : all.join(', ')
}

/** A bar of issue-free words: what was measured, and whether it holds. */
export interface Bar {
  readonly what: string
  readonly bar: string
  readonly measured: string
  readonly holds: boolean
}

const most = { headMs: 250, kb: 25, dataCalls: 2 }

export function barsOf(result: CallersResult, verify: string): readonly Bar[] {
  const { upstreamSubscriptions, headToAll, open } = result
  const mostOfAKind = upstreamSubscriptions.flatMap((each) => Object.values(each)).reduce((a, b) => Math.max(a, b), 0)
  const opened = Object.values(open).reduce((a, b) => a + b, 0)
  const quiet = Object.values(result.idleCalls).reduce((a, b) => a + b, 0)
  return [
    {
      what: 'callers with their subscription',
      bar: `${result.callers}`,
      measured: `${opened}: ${list(open)}`,
      holds: opened === result.callers,
    },
    {
      what: 'subscriptions of a kind at an upstream',
      bar: 'at most 1',
      measured: `${mostOfAKind}: ${upstreamSubscriptions.map(list).join('; ')}`,
      holds: mostOfAKind <= 1,
    },
    {
      what: 'data calls a block, all upstreams',
      bar: verify === 'off' ? `at most ${most.dataCalls}` : 'none given with verification',
      measured: `${result.dataCallsPerBlock.toFixed(2)}; all calls: ${list(result.callsPerBlock)}`,
      holds: verify !== 'off' || result.dataCallsPerBlock <= most.dataCalls,
    },
    {
      what: 'a head reaches all',
      bar: `within ${most.headMs} ms`,
      measured:
        `${milliseconds(headToAll)} of ${headToAll.blocks} blocks; ${result.headsShort} reached not all; ` +
        `until the gateway had written it to one: ${milliseconds(result.headBegun)}, to all: ${milliseconds(result.headWritten)}`,
      holds: headToAll.blocks === result.blocks && headToAll.max <= most.headMs,
    },
    {
      what: 'memory a caller',
      bar: `at most ${most.kb} kB`,
      measured:
        `${result.kbPerCaller.toFixed(1)} kB, ${result.heapKbPerCaller.toFixed(1)} kB of it in V8; ` +
        `of the growth ${result.youngMb.toFixed(0)} MB are V8's free room for new objects`,
      holds: result.kbPerCaller <= most.kb,
    },
    {
      what: 'data calls that nobody asked for',
      bar: '0',
      measured:
        `in ${result.idleSeconds.toFixed(0)} s without callers: ${list(result.idleCalls)}; ` +
        `in as long after the last one: ${list(result.afterCalls)} (${quiet} in all before)`,
      holds: [result.idleCalls, result.afterCalls].every(
        (calls) => (calls['eth_getLogs'] ?? 0) + (calls['eth_getBlockReceipts'] ?? 0) === 0,
      ),
    },
  ]
}

export function printCallers(result: CallersResult, bars: readonly Bar[]): readonly string[] {
  return [
    `${result.callers} callers, ${result.blocks} blocks: ${result.cpuPerBlock.toFixed(0)} ms CPU a block; ` +
      `events a block: ${list(result.eventsPerBlock)}`,
    `a call beside them: ${milliseconds(result.beside.among, 1)}; without them: ${milliseconds(result.beside.alone, 1)}`,
    '',
    '| | bar | measured | |',
    '|---|---|---|---|',
    ...bars.map(
      ({ what, bar, measured, holds }) => `| ${what} | ${bar} | ${measured} | ${holds ? 'holds' : 'broken'} |`,
    ),
    '',
    ...Object.entries(result.problems).map(([what, times]) => `${times} times: ${what}`),
  ]
}
