import type { SocketLike, SocketPort } from '@wayleave/jsonrpc-core'

/** Characters of messages that a connection has read before others have their turn; about a read of its socket. */
const mostAtOnce = 65_536

/** A socket of `ws`; those of browsers cannot pause. */
interface PausableSocket extends SocketLike {
  pause?(): void
  resume?(): void
}

/**
 * Makes sockets read a little in each turn of the event loop. All that has come on a connection is read in one turn else: the events of
 * 20,000 subscriptions to heads stopped everything else for 160 ms.
 */
export function readInTurns(connect: SocketPort, nextTurn: (run: () => void) => void): SocketPort {
  return (url, options) => {
    const socket: PausableSocket = connect(url, options)
    let read = 0
    socket.addEventListener('message', ({ data }) => {
      const before = read
      read += (data as { readonly length: number }).length
      if (before >= mostAtOnce || read < mostAtOnce) return
      socket.pause?.()
      nextTurn(() => {
        read = 0
        socket.resume?.()
      })
    })
    return socket
  }
}
