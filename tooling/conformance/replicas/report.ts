import { printClient } from '../two-nodes/report.ts'
import type { ReplicasResult } from './run.ts'

const mostNotes = 40

/** Prints a run for people, one thing a line. */
export function printRun(result: ReplicasResult): readonly string[] {
  const { software, kills, blocks, cordonMs, notes, broken } = result
  return [
    `three replicas before ${software}: ${kills} kills, ${result.seconds.toFixed(0)} s, ${blocks} blocks; ` +
      `the rig itself stood still for ${(result.ownStallMs / 1_000).toFixed(1)} s at most`,
    `answers by replica: ${result.answered.join(', ')}`,
    `${cordonMs.length} changes of cordons, in all replicas after ${Math.max(0, ...cordonMs).toFixed(0)} ms at most`,
    ...result.figures.flatMap(printClient),
    ...(result.ponder === undefined ? [] : [result.ponder]),
    ...notes.slice(0, mostNotes).map(({ second, phase, client, sentence }) => {
      return `note: ${second.toFixed(1)} s, ${phase}: ${client}: ${sentence}`
    }),
    ...(notes.length > mostNotes ? [`note: ${notes.length - mostNotes} more; --json has all`] : []),
    ...broken.map((sentence) => `broken: ${sentence}`),
    broken.length === 0 ? 'all bars hold' : 'not all bars hold',
  ]
}
