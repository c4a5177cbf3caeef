// Measures the cost of verifying a full block, beside viem, ethers and @ethereumjs: `node tooling/bench/src/verify.ts --help`.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { measureVerify } from './verify-measure.ts'
import { printVerify } from './verify-report.ts'
import { verifySubjects } from './verify-subjects.ts'

const usage = `node tooling/bench/src/verify.ts [options]

  --rounds N          interleaved rounds (10)
  --transactions N    in the block (300)
  --json              prints JSON instead of tables
  --write             writes docs/results/verify.md
`
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    transactions: { type: 'string', default: '300' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(usage)
} else {
  const plan = { transactions: count('transactions'), rounds: count('rounds'), repeats: 50 }
  const machine = describeMachine().filter(([name]) => name !== 'nginx')
  const result = await measureVerify(verifySubjects, plan, systemClock, (round) => {
    process.stderr.write(`round ${round} of ${plan.rounds}\n`)
  })
  const date = systemClock.date().toISOString().slice(0, 10)
  const report = printVerify(result, { date, machine })
  process.stdout.write(values.json ? `${JSON.stringify({ date, machine, ...result }, null, 2)}\n` : report)
  if (values.write) await writeFile(new URL('../../../docs/results/verify.md', import.meta.url), report)
}

function count(name: 'rounds' | 'transactions'): number {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= 1) return value
  process.stderr.write(`--${name} takes a whole number of at least 1, not ${values[name]}\n\n${usage}`)
  process.exit(2)
}
