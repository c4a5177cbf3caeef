// Measures the cost of verifying a full block, beside viem, ethers and @ethereumjs: `node tooling/bench/src/verify.ts --help`.
import { writeFile } from 'node:fs/promises'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { flag, readOptions, runProgram, text, wholeOf } from './program.ts'
import { measureVerify } from './verify-measure.ts'
import { printVerify } from './verify-report.ts'
import { verifySubjects } from './verify-subjects.ts'

const usage = `node tooling/bench/src/verify.ts [options]

  --rounds N          interleaved rounds (10)
  --transactions N    in the block (300)
  --json              prints JSON instead of tables
  --write             writes docs/results/verify.md
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { rounds: text('10'), transactions: text('300'), json: flag, write: flag })
  const plan = {
    transactions: wholeOf('transactions', values.transactions, 1),
    rounds: wholeOf('rounds', values.rounds, 1),
    repeats: 50,
  }
  const machine = describeMachine().filter(([name]) => name !== 'nginx')
  const result = await measureVerify(verifySubjects, plan, systemClock, (round) => {
    process.stderr.write(`round ${round} of ${plan.rounds}\n`)
  })
  const date = systemClock.date().toISOString().slice(0, 10)
  const report = printVerify(result, { date, machine })
  process.stdout.write(values.json ? `${JSON.stringify({ date, machine, ...result }, null, 2)}\n` : report)
  if (values.write) await writeFile(new URL('../../../docs/results/verify.md', import.meta.url), report)
  return 0
}

await runProgram(usage, main)
