import { parseArgs } from 'node:util'
import { run } from './run.ts'

const { values } = parseArgs({
  options: {
    reloads: { type: 'string', default: '100' },
    rate: { type: 'string', default: '1000' },
    sockets: { type: 'string', default: '100' },
    every: { type: 'string', default: '300' },
  },
})
const figures = await run({
  reloads: Number(values.reloads),
  rate: Number(values.rate),
  sockets: Number(values.sockets),
  everyMs: Number(values.every),
  report: (line) => process.stderr.write(`${line}\n`),
})
const [warm, end] = figures.memory
const bars = {
  'calls left out, as the machine cannot hold the rate: 0': figures.leftOut === 0,
  'failed calls: 0': figures.failed === 0,
  'dropped sockets: 0': figures.dropped === 0,
  'heads doubled, out of order or missing: 0': figures.wrongHeads === 0,
  'WebSockets to an upstream that stays: 1': figures.socketsOf.calm === 1 && figures.socketsOf.steady === 1,
  'times that a network was opened anew which no reload concerns: 0': figures.reopened === 0,
  'reloads with another outcome than due: 0': figures.wrongOutcomes.length === 0,
  'memory held after a collection, at the end: at most 1.05 times that after a fifth': end.held <= 1.05 * warm.held,
  'resident memory at the end: at most 1.15 times that after a fifth': end.resident <= 1.15 * warm.resident,
}
process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
for (const [bar, holds] of Object.entries(bars)) process.stdout.write(`${holds ? 'holds' : 'FAILS'}  ${bar}\n`)
process.exitCode = Object.values(bars).every(Boolean) ? 0 : 1
