import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** An HTTP server on a free port, gone when the test is over. */
export async function serveHttp(
  listener: RequestListener,
): Promise<{ readonly url: string; readonly server: Server; readonly sockets: Set<Socket> }> {
  const server = createServer(listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => void server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, sockets }
}

/** Writes as fast as it is taken. */
export async function write(response: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  if (response.write(chunk) || response.destroyed) return
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go)
    response.on('close', go)
  })
}

/** Waits until `holds`; fails after fifteen seconds, which only say that it never will. */
export async function eventually(holds: () => boolean, otherwise: string): Promise<void> {
  for (let i = 0; i < 1_500; i++) {
    if (holds()) return
    await new Promise((resolve) => void setTimeout(resolve, 10))
  }
  throw new Error(otherwise)
}

/** A port that nobody listens on, nor will: the near end of a connection, which the system gives to no one else. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const holder = connect((server.address() as AddressInfo).port, '127.0.0.1').unref()
  await once(holder, 'connect')
  return holder.localPort!
}
