import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Opens a server on a free port of this machine. */
export async function listen(onRequest: RequestListener): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(onRequest).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
