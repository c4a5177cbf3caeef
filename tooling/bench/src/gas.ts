// Measures the cost of the gas API: `node tooling/bench/src/gas.ts [--rounds N] [--seconds N] [--json]`.
import { parseArgs } from 'node:util'
import { systemClock } from './defaults.ts'
import { runGasBench, whyNoGasBench } from './gas-bench.ts'
import { describeMachine } from './machine.ts'
import { quietPercent } from './measurement.ts'
import { printTable } from './table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '1.5' },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const bar = 1.5

process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
const missing = whyNoGasBench()
if (missing !== undefined) {
  process.stderr.write(`${missing}\n`)
  process.exit(1)
}
const machine = describeMachine()
const progress = (line: string): void => void process.stderr.write(`${line}\n`)
const bench = await runGasBench({ rounds, seconds, connections: 32, clock: systemClock, progress })
if (values.json) console.log(JSON.stringify({ machine, rounds, seconds, bar, ...bench }))
else {
  for (const [what, value] of machine) console.log(`${what}: ${value}`)
  const rows = bench.results.map(({ name, cpuMicros, ratio: { median, min, max } }) => {
    const ratio = `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`
    return [name, cpuMicros.toFixed(2), ratio, name.startsWith('bare') ? '' : median <= bar ? 'met' : 'not met']
  })
  console.log(
    `${rounds} rounds of ${seconds} s, 32 connections; others took at most ${bench.foreignPercent.toFixed(0)} %\n`,
  )
  console.log(printTable(['suggestedGasFees', 'CPU µs', 'of the bare handler', `at most ${bar}`], rows))
  if (bench.foreignPercent > quietPercent) console.log('\nThe machine was not quiet: measure again.')
}
