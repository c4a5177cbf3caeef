import { writeFile } from 'node:fs/promises'
import { flag, readOptions, runProgram, text, wholeOf } from '@wayleave/bench/program'
import { startAnvilWorld } from './anvil.ts'
import { startModel } from './ledger.ts'
import { printTable } from './report.ts'
import { nodes, run, type RunResult } from './run.ts'
import { prepareMany } from './transactions.ts'

/* Sends transactions through faulty nodes, with broadcast 1 and 2, over a model and over anvil. Exits with 0 if every promise held, else 1; 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance writes [--count n] [--anvil n] [--seed n] [--write]

  --count   transactions over the model; default 10000
  --anvil   transactions over anvil, 0 for none; default 200
  --seed    of the faults; default 1
  --write   writes docs/results/writes.md, too
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { count: text('10000'), anvil: text('200'), seed: text('1'), write: flag })
  const count = wholeOf('count', values.count, 0)
  const onAnvil = wholeOf('anvil', values.anvil, 0)
  const seed = wholeOf('seed', values.seed, 0)
  const transactions = await prepareMany(count)
  const results: RunResult[] = []
  for (const broadcast of [1, 2]) {
    await using ledger = startModel(nodes, transactions)
    const rows = transactions.map((each) => [each])
    results.push(await run({ name: 'model', broadcast, chainId: 1, ledger, rows, seed }))
  }
  for (const broadcast of onAnvil === 0 ? [] : [1, 2]) {
    await using world = await startAnvilWorld(onAnvil)
    const { rows, chainId, fill: onMissed } = world
    results.push(await run({ name: 'anvil', broadcast, chainId, ledger: world, rows, onMissed, seed }))
  }
  const date = new Date().toISOString().slice(0, 10)
  const table = printTable(results, date)
  process.stdout.write(table)
  if (values.write) await writeFile(new URL('../../../docs/results/writes.md', import.meta.url), table)
  const broken = results.flatMap((result) =>
    result.broken.map((sentence) => `${result.name}, broadcast ${result.broadcast}: ${sentence}`),
  )
  for (const sentence of broken.slice(0, 50)) process.stderr.write(`BROKEN ${sentence}\n`)
  return broken.length === 0 ? 0 : 1
}

await runProgram(usage, main)
