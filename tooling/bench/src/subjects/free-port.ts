import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Finds a port below those that the system gives to port 0 and to outgoing connections: a node comes back at it after a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomInt(10_000, 32_000), '127.0.0.1')
    const listening = await once(server, 'listening').catch(() => undefined)
    if (listening === undefined) continue
    const { port } = server.address() as { readonly port: number }
    server.close()
    await once(server, 'close')
    return port
  }
}
