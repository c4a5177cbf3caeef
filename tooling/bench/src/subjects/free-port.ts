import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Finds a port that nobody listens on, below those that the system gives to port 0 and to outgoing connections. */
export function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer()
  server.on('error', () => resolve(freePort()))
  server.listen(randomInt(10_000, 32_000), '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
  return promise
}
