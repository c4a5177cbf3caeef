import { liars } from './liars.ts'
import type { Outcome } from './run-liar.ts'

/** The outcomes that break the bar: with consensus, no caller gets a false answer or an error. */
export function broken(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap(({ liar, atOnce, calls, served, errors, reported }) => {
    const name = `${liar}, ${atOnce} at once`
    if (atOnce > 1) {
      return [
        ...(served > 0 ? [`${name}: ${served} of ${calls} answers are false`] : []),
        ...(errors > 0 ? [`${name}: ${errors} of ${calls} calls ended with an error`] : []),
        ...(reported === 0 && liar !== 'none' ? [`${name}: the liar told no lie`] : []),
      ]
    }
    return served === 0 ? [`${name}: without consensus no lie was served, so the rig shows nothing`] : []
  })
}

/** Prints the outcomes as Markdown. */
export function printTable(outcomes: readonly Outcome[], date: string): string {
  const head = [
    'liar',
    'asked at once',
    'calls',
    'false answers served',
    'errors',
    'lies told',
    'upstream calls a call',
    'p50 ms',
    'p95 ms',
  ]
  const rows = outcomes.map((it) => [
    it.liar,
    it.atOnce === 1 ? '1, no consensus' : String(it.atOnce),
    it.calls,
    it.served,
    it.errors,
    it.reported,
    it.cost.toFixed(2),
    it.p50Ms.toFixed(1),
    it.p95Ms.toFixed(1),
  ])
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  const about = liars.map((liar) => `- *${liar.name}*: ${liar.about}.`)
  return `# Consensus ${date}

Two honest nodes of different wording and one liar, over HTTP, behind one gateway: \`participants: 3, agreement: 2\`. The calls are
\`eth_call\`, \`eth_getStorageAt\`, \`eth_getLogs\`, \`eth_getBlockByNumber\` at latest and earlier blocks of a chain with two blocks a second, and
\`eth_getTransactionReceipt\`. Each answer is compared with the chain. Printed by \`pnpm --filter @wayleave/conformance consensus --write\`.

${about.join('\n')}

${lines.join('\n')}

Callers have their answer with the second of two equal ones; a call costs three upstream calls, however soon that is. Nodes of different wording differ in members that clients count
differently (\`size\`, \`totalDifficulty\`), so the third decides about blocks.
`
}
