import { writeFile } from 'node:fs/promises'
import { flag, readOptions, runProgram, text, wholeOf } from '@wayleave/bench/program'
import { liars } from './liars.ts'
import { broken, printTable } from './report.ts'
import { type Outcome, runLiar } from './run-liar.ts'

/* Has each liar lie among three upstreams, and prints the table. Exits with 0 if no lie is served, else 1; 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance consensus [--calls N] [--write]

  --calls N   calls for each liar and way of asking; default 10000
  --write     writes docs/results/consensus.md, too
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { calls: text('10000'), write: flag })
  const calls = wholeOf('calls', values.calls, 1)
  const outcomes: Outcome[] = []
  for (const atOnce of [1, 3]) {
    for (const liar of liars) {
      // One row without consensus shows that the rig finds lies.
      if (atOnce === 1 && liar.name !== 'always') continue
      const outcome = await runLiar(liar, atOnce, calls)
      outcomes.push(outcome)
      process.stderr.write(`${liar.name}, ${atOnce} at once: ${outcome.served} of ${calls} answers false\n`)
    }
  }
  const date = new Date().toISOString().slice(0, 10)
  const table = printTable(outcomes, date)
  process.stdout.write(table)
  if (values.write) await writeFile(new URL('../../../docs/results/consensus.md', import.meta.url), table)
  const bars = broken(outcomes)
  for (const bar of bars) process.stderr.write(`BROKEN ${bar}\n`)
  return bars.length === 0 ? 0 : 1
}

await runProgram(usage, main)
