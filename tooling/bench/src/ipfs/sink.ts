import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Opens a port that drops all input, for the bare loop to write to. */
export async function openSink(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer({ allowHalfOpen: false }, (socket) => void socket.resume().on('error', () => {})).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
