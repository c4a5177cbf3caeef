// The measured process: a gateway, and nothing else. It answers each message of its parent with its memory, and the most since the last one.
import { createLog, startGateway } from '@wayleave/gateway'

const [key, ...upstreams] = process.argv.slice(2) as [string, ...string[]]
const { rpc, close } = await startGateway(
  {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { net: { kind: 'evm', chainId: 1, upstreams } },
    projects: [{ name: 'logs', keys: [{ key }] }],
  },
  { log: createLog({ level: 'error' }) },
)

let peak = 0
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
process.on('message', () => {
  const { rss, heapUsed, external } = process.memoryUsage()
  process.send!({ rss, peak, heapUsed, external, cpuMs: process.cpuUsage().user / 1_000 })
  peak = rss
})
process.on('disconnect', () => void close(0).then(() => process.exit()))
process.send!({ rpc })
