import type { Figures } from './measure/observer.ts'
import type { RunResult } from './run.ts'

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** Prints the figures of a client for people. */
export function printClient(figures: Figures): readonly string[] {
  const { client, reads, headsBack, noncesBack, announced, unreadable, sent, reconnects, failures } = figures
  const count = Object.values(failures).reduce((sum, each) => sum + each, 0)
  return [
    `${client}: longest stall ${seconds(figures.longestStallMs)} of ${reads} reads; head back ${headsBack}, nonce back ${noncesBack}; ` +
      `${unreadable} of ${announced} announced blocks unreadable, longest silence ${seconds(figures.longestSilenceMs)}; ` +
      `${sent} sent, the slowest in ${seconds(figures.longestSendMs)}; ${reconnects} reconnects; ${count} calls failed`,
    ...Object.entries(failures)
      .toSorted(([, a], [, b]) => b - a)
      .map(([what, times]) => `  failed ${times} times: ${what}`),
  ]
}

/** Prints a run for people, one thing a line. */
export function printRun(result: RunResult, mostNotes: number): readonly string[] {
  const { software, rounds, blocks, notes, broken } = result
  const left = notes.length - mostNotes
  return [
    `two nodes, ${software}: ${rounds} rounds, ${result.seconds.toFixed(0)} s, ${blocks} blocks, ` +
      `longest time between two ${seconds(result.longestGapMs)}; the rig itself stood still for ${seconds(result.ownStallMs)} at most`,
    ...result.figures.flatMap(printClient),
    ...(result.ponder === undefined ? [] : [result.ponder]),
    ...notes.slice(0, mostNotes).map((note) => {
      return `note: ${note.second.toFixed(1)} s, ${note.phase}: ${note.client}: ${note.sentence}`
    }),
    ...(left > 0 ? [`note: ${left} more; --json has all, --notes N prints N`] : []),
    ...broken.map((sentence) => `broken: ${sentence}`),
    broken.length === 0 ? 'all bars hold' : 'not all bars hold',
  ]
}
