import { getHeapSpaceStatistics } from 'node:v8'
import { checkConfig, createLog, startGateway } from '@wayleave/gateway'
import { noteWrittenHeads } from './written-heads.ts'

/* The measured process: a gateway, and nothing else. It tells its parent its memory, and when heads were written. */

const headsWritten = noteWrittenHeads()
const gateway = await startGateway(checkConfig(JSON.parse(process.argv[2]!)), { log: createLog({ level: 'error' }) })

function memory() {
  // Objects that one collection finalizes are freed by the next, and V8 drops code that did not run for a few collections.
  for (let i = 0; i < 10; i++) void globalThis.gc!({ type: 'major', execution: 'sync' })
  const { rss, heapUsed, external } = process.memoryUsage()
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!
  return { rss, heapUsed, external, youngFree: young.physical_space_size - young.space_used_size }
}

process.on('message', (question) => void process.send!(question === 'memory' ? memory() : headsWritten()))
process.on('disconnect', () => void gateway.close(0))
process.send!({ ws: gateway.ws })
