import { checkConfig, createLog, startGateway } from '@wayleave/gateway'

/* The measured process: a gateway, and nothing else. It answers each message of its parent with its memory. */

const gateway = await startGateway(checkConfig(JSON.parse(process.argv[2]!)), { log: createLog({ level: 'error' }) })

process.on('message', () => {
  // Objects that one collection finalizes are freed by the next, and V8 drops code that did not run for a few collections.
  for (let i = 0; i < 10; i++) void globalThis.gc!({ type: 'major', execution: 'sync' })
  const { rss, heapUsed, external } = process.memoryUsage()
  process.send!({ rss, heapUsed, external })
})
process.on('disconnect', () => void gateway.close(0))
process.send!({ ws: gateway.ws })
