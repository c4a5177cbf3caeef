// One way to share an address among processes: a primary, and workers that answer their number. Started by listeners.ts.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [way, count = '2'] = process.argv.slice(2)

function serve(port: number): void {
  const id = process.env['WORKER_NUMBER'] ?? '0'
  const server = createServer((_request, response) => response.end(id))
  server.keepAliveTimeout = 60_000
  server.listen({ port, host: '127.0.0.1', ...(way === 'reusePort' && { reusePort: true, exclusive: true }) }, () => {
    process.send?.('ready')
  })
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

if (cluster.isPrimary) {
  cluster.schedulingPolicy = way === 'shared handle' ? cluster.SCHED_NONE : cluster.SCHED_RR
  const port = await findPort()
  for (let number = 1; number <= Number(count); number++) {
    await once(cluster.fork({ WORKER_NUMBER: String(number), WORKER_PORT: String(port) }), 'message')
  }
  process.stdout.write(`${port}\n`)
} else {
  serve(Number(process.env['WORKER_PORT']))
}
