import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Makes the function that closes a server: it takes no more connections, ends idle ones and waits for those in use. */
export function createCloser(server: Server): () => Promise<void> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  return () => {
    if (!server.listening) return Promise.resolve()
    return new Promise((resolve) => {
      server.close(() => resolve())
      server.closeIdleConnections()
      // Connections that answer their last call now are not kept.
      server.keepAliveTimeout = 1
      server.keepAliveTimeoutBuffer = 0
      // Node takes a connection that never sent a byte for a busy one.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    })
  }
}
