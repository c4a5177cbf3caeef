import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/** Makes the function that closes a server: it takes no more connections, ends idle ones and waits for those in use. */
export function createCloser(server: Server): () => Promise<void> {
  const unused = server instanceof TlsServer ? watchTls(server) : watchPlain(server)
  return () => {
    if (!server.listening) return Promise.resolve()
    return new Promise((resolve) => {
      server.close(() => resolve())
      server.closeIdleConnections()
      // Connections that answer their last call now are not kept.
      server.keepAliveTimeout = 1
      server.keepAliveTimeoutBuffer = 0
      // Node takes a connection that never sent a byte for a busy one.
      for (const socket of unused()) socket.destroy()
    })
  }
}

function watchPlain(server: Server): () => Socket[] {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    // A connection whose offer to upgrade was not taken begins again.
    if (open.has(socket)) return
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  return () => [...open].filter(({ bytesRead }) => bytesRead === 0)
}

/** Over TLS a connection is two objects, which the caller's address joins, and its first bytes are a handshake. */
function watchTls(server: TlsServer): () => Socket[] {
  const handshaking = new Map<string, Socket>()
  const unasked = new Set<Socket>()
  const known = new WeakSet<Socket>()
  const addressOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket)
    handshaking.set(address, socket)
    socket.on('close', () => handshaking.delete(address))
  })
  server.on('secureConnection', (socket: Socket) => {
    if (known.has(socket)) return
    known.add(socket)
    handshaking.delete(addressOf(socket))
    unasked.add(socket)
    socket.on('close', () => unasked.delete(socket))
  })
  for (const event of ['request', 'upgrade']) {
    server.on(event, ({ socket }: IncomingMessage) => void unasked.delete(socket))
  }
  return () => [...handshaking.values(), ...unasked]
}
