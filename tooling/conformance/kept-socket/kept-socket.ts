import { parseArgs } from 'node:util'
import { run } from './run.ts'

/* Restarts one process under load, at a socket that outlives it, and prints figures and bars. Exits with 0 if all hold. */

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    rate: { type: 'string', default: '200' },
    sockets: { type: 'string', default: '200' },
    restarts: { type: 'string', default: '3' },
    bare: { type: 'boolean', default: false },
  },
})
const figures = await run({
  rate: Number(values.rate),
  sockets: Number(values.sockets),
  restarts: Number(values.restarts),
  isBare: values.bare,
  report: (line) => process.stderr.write(`${line}\n`),
})
const bars = {
  'calls left out, as the machine cannot hold the rate: 0': figures.leftOut === 0,
  'refused connections: 0': figures.refused === 0,
  'failed calls: 0': figures.failed === 0,
  'sockets that were closed with another code than 1012: 0': Object.keys(figures.closes).every(
    (code) => code === '1012',
  ),
  'sockets that could not come back at once: 0': figures.socketFailures.length === 0,
  'heads that sockets missed, or had twice, as they resumed: 0': figures.gaps === 0,
}
process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
for (const [bar, holds] of Object.entries(bars)) process.stdout.write(`${holds ? 'holds' : 'FAILS'}  ${bar}\n`)
process.exitCode = Object.values(bars).every(Boolean) ? 0 : 1
