// The measured process: a gateway, and nothing else. It answers each message of its parent with its memory.
import { createLog, startGateway } from '@wayleave/gateway'

const [upstream, key] = process.argv.slice(2) as [string, string]
const { ws, close } = await startGateway(
  {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { net: { kind: 'evm', chainId: 1, upstreams: [upstream] } },
    projects: [{ name: 'idle', keys: [{ key }] }],
  },
  { log: createLog({ level: 'error' }) },
)

process.on('message', () => {
  // Objects that one collection finalizes are freed by the next, and V8 drops code that did not run for a few collections.
  for (let i = 0; i < 10; i++) void globalThis.gc!({ type: 'major', execution: 'sync' })
  const { rss, heapUsed, external } = process.memoryUsage()
  process.send!({ rss, heapUsed, external })
})
process.on('disconnect', () => void close(0))
process.send!({ ws })
