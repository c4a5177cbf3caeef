import { parseArgs } from 'node:util'
import { missingNginx } from './nginx.ts'
import { run } from './run.ts'

/* Restarts two replicas behind nginx under load, and prints figures and bars. Exits with 0 if all hold. */

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    rate: { type: 'string', default: '500' },
    sockets: { type: 'string', default: '1000' },
    send: { type: 'string', default: '10000' },
    delay: { type: 'string', default: '12000' },
  },
})
const missing = missingNginx()
if (missing !== undefined) throw new Error(missing)
const figures = await run({
  rate: Number(values.rate),
  sockets: Number(values.sockets),
  sendMs: Number(values.send),
  delayMs: Number(values.delay),
  report: (line) => process.stderr.write(`${line}\n`),
})
const reported = Object.entries(figures.closes)
const bars = {
  'calls left out, as the machine cannot hold the rate: 0': figures.leftOut === 0,
  'restarts in which the rig let nginx send for longer than the replica serves, as the machine is busy: 0':
    figures.restarts.every(({ sentMs }) => sentMs < Number(values.delay)),
  'failed calls: 0': figures.failed === 0,
  'sockets that were closed with another code than 1012: 0': reported.every(([code]) => code === '1012'),
  'sockets that were told 1012: each at least once': (figures.closes['1012'] ?? 0) >= Number(values.sockets),
  'sockets that could not come back at once: 0': figures.socketFailures.length === 0,
  'heads that sockets missed, or had twice, as they resumed: 0': figures.gaps === 0,
  'replicas that were ready after SIGTERM, or did not end in order: 0': figures.restarts.every(
    ({ readiness, exitCode }) => readiness === 503 && exitCode === 0,
  ),
  'replicas that answered nothing after SIGTERM: 0': figures.restarts.every(({ answersAfter }) => answersAfter > 0),
}
process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
for (const [bar, holds] of Object.entries(bars)) process.stdout.write(`${holds ? 'holds' : 'FAILS'}  ${bar}\n`)
process.exitCode = Object.values(bars).every(Boolean) ? 0 : 1
