// The attacked process: a gateway whose patience is short. It answers each message of its parent with its memory.
import { createLog, startGateway } from '@wayleave/gateway'

const [http, ws, key] = process.argv.slice(2) as [string, string, string]
const { rpc, admin, close } = await startGateway(
  {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { net: { kind: 'evm', chainId: 1, upstreams: [http, ws] } },
    projects: [{ name: 'hostile', keys: [{ key }] }],
    limits: { readTimeoutMs: 600, requestTimeoutMs: 2_000, webSocketPingMs: 400, webSocketIdleMs: 1_200 },
  },
  { log: createLog({ level: 'silent' }) },
)

process.on('message', () => {
  void globalThis.gc!({ type: 'major', execution: 'sync' })
  void globalThis.gc!({ type: 'major', execution: 'sync' })
  const { rss, heapUsed } = process.memoryUsage()
  process.send!({ rss, heapUsed })
})
process.on('disconnect', () => void close(0))
process.send!({ rpc, admin })
