import type { SocketLike, SocketPort } from '@wayleave/jsonrpc-core'
import type { Turns } from '@wayleave/upstream'

/** Characters of messages that a connection has read before others have their turn; about a read of its socket. */
const mostAtOnce = 65_536
/** Cost of so many, in units of {@link Turns}; a longer message has come whole, and costs others no more. */
const cost = 16

/** A socket of `ws`; those of browsers cannot pause. */
interface PausableSocket extends SocketLike {
  pause?(): void
  resume?(): void
}

/**
 * Makes sockets read a little in each turn of the event loop. All that has come on a connection is read in one turn else: the events of
 * 20,000 subscriptions to heads stopped everything else for 160 ms.
 */
export function readInTurns(connect: SocketPort, turns: Turns): SocketPort {
  return (url, options) => {
    const socket: PausableSocket = connect(url, options)
    let read = 0
    let isPaused = false
    socket.addEventListener('message', ({ data }) => {
      read += (data as { readonly length: number }).length
      if (isPaused || read < mostAtOnce) return
      const turn = turns.take(undefined, cost)
      read = 0
      if (turn === undefined) return
      isPaused = true
      socket.pause?.()
      void turn.then(() => {
        isPaused = false
        socket.resume?.()
      })
    })
    return socket
  }
}
