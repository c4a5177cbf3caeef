import { printClient } from '@wayleave/conformance/two-nodes/report'
import type { ReaderFigures } from './clients/reader.ts'
import type { WriterFigures } from './clients/writer.ts'
import type { LiveResult } from './run.ts'

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

function printFailures(failures: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(failures)
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, times]) => `  failed ${times} times: ${what}`)
}

function printReader({
  client,
  calls,
  unsettled,
  medianMs,
  p99Ms,
  longestMs,
  failures,
}: ReaderFigures): readonly string[] {
  const failed = Object.values(failures).reduce((sum, each) => sum + each, 0)
  const share = calls === 0 ? 0 : (100 * failed) / calls
  return [
    `${client}: ${calls} calls, median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(0)} ms, longest ${seconds(longestMs)}; ` +
      `${failed} failed (${share.toFixed(3)} %), ${unsettled} not settled by the deadline`,
    ...printFailures(failures),
  ]
}

function printWriter({
  client,
  sent,
  sentAgain,
  receipts,
  slowestSendMs,
  slowestReceiptMs,
  failures,
}: WriterFigures): readonly string[] {
  return [
    `${client}: ${sent} sent, the slowest in ${seconds(slowestSendMs)}, ${sentAgain} times again; ${receipts} receipts, the slowest in ${seconds(slowestReceiptMs)}`,
    ...printFailures(failures),
  ]
}

/** Prints a run for people, one thing a line; a failing one with its seed, its schedule and at most `mostEvents` events. */
export function printLive(result: LiveResult, replay: string, mostEvents: number): readonly string[] {
  const { hurts, settlement, schedule, timeline, violations } = result
  const fate =
    hurts === undefined ? 'broken off' : `${hurts.kills} kills, ${hurts.pauses} pauses, ${hurts.leftOut} left out`
  const lines = [
    `live, ${result.software}, seed ${result.seed}: ${result.seconds.toFixed(0)} s, ${result.blocks} blocks, longest time between ` +
      `two ${seconds(result.longestGapMs)}; ${fate}; the rig itself stood still for ${seconds(result.ownStallMs)} at most`,
    ...result.clients.flatMap(printClient),
    ...printReader(result.reader),
    ...result.writers.flatMap(printWriter),
  ]
  if (settlement !== undefined) {
    const { compared, unknown, accepted, lost, refused, refusedAndMined } = settlement
    lines.push(
      `held to the chain: ${compared} answers, ${unknown} more that no node could say; of ${accepted} accepted transactions ${lost} lost; of ${refused} refused ` +
        `${refusedAndMined} mined`,
    )
  }
  if (violations.length === 0) return [...lines, 'all invariants hold']
  return [
    ...lines,
    'schedule:',
    ...schedule.map(
      ({ at, node, kind, forMs }) => `  ${seconds(at).padStart(8)}  node ${node}: ${kind} for ${seconds(forMs)}`,
    ),
    'timeline:',
    ...timeline
      .slice(-mostEvents)
      .map(({ second, who, sentence }) => `  ${second.toFixed(1).padStart(6)} s  ${who}: ${sentence}`),
    ...violations.slice(0, 100).map((sentence) => `violation: ${sentence}`),
    ...(violations.length > 100 ? [`violation: ${violations.length - 100} more; --json has all`] : []),
    `replay: ${replay}`,
  ]
}
