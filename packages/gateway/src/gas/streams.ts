import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../principal.ts'
import type { Session, Sessions } from '../sessions.ts'

/** The answers of a listener that have no end of their own, one a connection: a request behind one would wait for its end. */
export interface Streams {
  carries(socket: object): boolean
  /** Marks the connection of a request. The signal aborts with the answer, the connection, the caller's leave, or {@link Streams.end}. */
  begin(request: IncomingMessage, response: ServerResponse, principal: Principal): AbortSignal
  /** Ends all streams, now and from now on. */
  end(): void
}

export function createStreams(sessions: Sessions): Streams {
  const open = new Map<object, () => void>()
  let over = false
  return {
    carries: (socket) => open.has(socket),
    begin({ socket }, response, principal) {
      const leaving = new AbortController()
      const leave = (): void => {
        open.delete(socket)
        sessions.remove(session)
        socket.off('close', leave)
        leaving.abort()
      }
      const session: Session = { principal, expire: leave }
      open.set(socket, leave)
      sessions.add(session)
      response.on('close', leave)
      // An answer that waits behind another one gets no `close` when its connection has gone.
      socket.on('close', leave)
      if (over || socket.destroyed) leave()
      return leaving.signal
    },
    end() {
      over = true
      for (const leave of open.values()) leave()
    },
  }
}
