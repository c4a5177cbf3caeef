import { choiceOf, readOptions, runProgram, text, wholeOf } from '@wayleave/bench/program'
import { runPace } from './pace.ts'
import { runReads, sources } from './reads.ts'
import { printRows, type Row } from './report.ts'
import { runWaiting } from './waiting.ts'

/* Measures how the pool finds what is old, and what is not there. Exits with 0 if all bars hold, 1 if one does not, 2 on wrong use. */

const parts = ['reads', 'waiting', 'pace'] as const

const usage = `pnpm --filter @wayleave/conformance history [options]

  --only NAME   a part: ${parts.join(', ')}; may stand more than once (all)
  --seconds N   length of the pace, at least 5 (60)
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, {
    only: { type: 'string', multiple: true, default: [...parts] },
    seconds: text('60'),
  })
  const seconds = wholeOf('seconds', values.seconds, 5)
  const only = values.only.map((name) => choiceOf('only', name, parts))
  const rows: Row[] = []
  if (only.includes('reads')) for (const source of sources) rows.push(...(await runReads(source)))
  if (only.includes('waiting')) {
    for (const [count, has] of [
      [2, true],
      [3, false],
    ] as const)
      rows.push(...(await runWaiting(count, has)))
  }
  if (only.includes('pace')) rows.push(...(await runPace(seconds)))
  process.stdout.write(`${printRows(rows)}\n`)
  return rows.every(({ holds }) => holds !== false) ? 0 : 1
}

await runProgram(usage, main)
