import { writeFile } from 'node:fs/promises'
import { flag, readOptions, runProgram } from '@wayleave/bench/program'
import { catalogue } from './catalogue.ts'
import { broken, columns, mislabelled, printTable, type Row } from './report.ts'
import { type Cell, type Level, type Place, runLie } from './run-lie.ts'
import { startWorld } from './world.ts'

/* Tells every lie in every place, and prints the table. Exits with 0 if none is served under `proven`, and each says what it is, else 1; 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance lies [--write]

  --write   writes docs/results/lies.md, too
`

async function main(args: readonly string[]): Promise<number> {
  const { write } = readOptions(args, { write: flag })
  await using world = await startWorld('lies')
  const rows: Row[] = []
  for (const lie of catalogue) {
    const cells: Record<string, Cell> = {}
    for (const name of columns) {
      const [level, place] = name.split(' ') as [Level, Place]
      cells[name] = await runLie(lie, world, place, level)
    }
    rows.push({ lie, cells: cells as Row['cells'] })
  }
  const date = new Date().toISOString().slice(0, 10)
  const table = printTable(rows, date)
  process.stdout.write(table)
  if (write) await writeFile(new URL('../../../docs/results/lies.md', import.meta.url), table)
  const served = broken(rows)
  for (const { lie } of served) process.stderr.write(`BROKEN ${lie.about}, ${lie.name}: ${lie.method}\n`)
  const wrong = mislabelled(rows)
  for (const { lie } of wrong) process.stderr.write(`MISLABELLED ${lie.about}, ${lie.name}: ${lie.method}\n`)
  process.stdout.write(
    `\n${rows.length} lies; ${served.length} not answered with the truth under proven, two of three honest; ${wrong.length} served under a mark that is false, or none\n`,
  )
  return served.length + wrong.length === 0 ? 0 : 1
}

await runProgram(usage, main)
