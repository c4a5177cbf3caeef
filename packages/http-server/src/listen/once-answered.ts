import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Goes on with a connection that Node has handed over (`upgrade`, `connect`) once the answers to its earlier requests were sent, in their
 * order (RFC 9112 §9.3.2); not if they end it. Node serves no timeouts and drains of these answers any more. `waiting` holds the
 * connection meanwhile.
 */
export function onceAnswered(socket: Duplex, waiting: Set<Duplex>, goOn: () => void): void {
  // The answer that is being sent. Node keeps it to itself, and noting each request would cost every call.
  const { _httpMessage: earlier } = socket as { readonly _httpMessage?: ServerResponse | null }
  if (earlier === undefined || earlier === null) return goOn()
  const drain = (): void => void earlier.emit('drain')
  const cut = (): void => void socket.destroy()
  socket.on('drain', drain).on('timeout', cut).on('error', cut)
  waiting.add(socket)
  earlier.once('close', () => {
    socket.off('drain', drain).off('timeout', cut).off('error', cut)
    waiting.delete(socket)
    if (socket.writable) onceAnswered(socket, waiting, goOn)
  })
}
