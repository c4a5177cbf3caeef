import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faultsOfTraces } from './faults-of-traces.ts'
import { provideCollector } from './provide-collector.ts'
import { traceCalls } from './trace-calls.ts'

/* Sends the traces of a gateway to a real collector, and compares what that made of them. Without Go it says so. */

const found = await provideCollector(join(tmpdir(), 'wayleave-collector'), (line) => console.log(line))
if (found.missing !== undefined) {
  console.log(`the collector is skipped: ${found.missing}`)
} else {
  const traced = await traceCalls(found.path)
  for (const { traceId, name, kind, status, attributes } of traced.received) {
    console.log(
      [traceId.slice(0, 8), kind.padEnd(8), name.padEnd(14), status.padEnd(5), JSON.stringify(attributes)].join('  '),
    )
  }
  const faults = faultsOfTraces(traced)
  for (const fault of faults) console.log(`FAULT ${fault}`)
  console.log(`${traced.sent.length} spans sent, ${traced.received.length} came, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
