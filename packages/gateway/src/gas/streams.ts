import type { IncomingMessage, ServerResponse } from 'node:http'

/** The answers of a listener that have no end of their own, one a connection: a request behind one would wait for its end. */
export interface Streams {
  carries(socket: object): boolean
  /** Marks the connection of a request. The signal aborts with the answer, with the connection, or with {@link Streams.end}. */
  begin(request: IncomingMessage, response: ServerResponse): AbortSignal
  /** Ends all streams, now and from now on. */
  end(): void
}

export function createStreams(): Streams {
  const open = new Map<object, () => void>()
  let over = false
  return {
    carries: (socket) => open.has(socket),
    begin({ socket }, response) {
      const leaving = new AbortController()
      const leave = (): void => {
        open.delete(socket)
        socket.off('close', leave)
        leaving.abort()
      }
      open.set(socket, leave)
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
