import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@wayleave/jsonrpc-core'

/** Why a stream ends that has no end of its own: its reader left, its key may not stay, its network is not served any more, or the gateway closes. */
export type StreamEnd = 'gone' | 'expired' | 'withdrawn' | 'closing'

/** A connection or a stream that goes on after its caller was admitted. */
export interface Session<Caller> {
  readonly principal: Caller
  /** The network that it is of; undefined: of none alone. */
  readonly network?: string | undefined
  /** Ends it, since its caller is not to stay. Called once. */
  expire(): void
  /** Ends it, since its network is not served any more. Called once. Default: it goes on. */
  withdraw?(): void
}

/** The place where sessions are known while they go on. */
export interface SessionKeeper<Caller> {
  add(session: Session<Caller>): void
  remove(session: Session<Caller>): void
}

/** The answers of a listener that have no end of their own, one a connection: a request behind one would wait for its end. */
export interface Streams<Caller> {
  carries(socket: object): boolean
  /**
   * Marks the connection of a request. The signal aborts with the answer, the connection, the caller's leave, or {@link Streams.end}; its
   * reason is a {@link StreamEnd}. `network`: the one that it is of.
   */
  begin(request: IncomingMessage, response: ServerResponse, principal: Caller, network?: string): AbortSignal
  /** Ends all streams, now and from now on; `spread`: evenly within this time, so that their readers do not all come back at once. */
  end(spread?: { readonly clock: Clock; readonly ms: number }): void
}

/** Calls `listener` once the answer or its connection is gone: an answer that waits behind another one has no `close` of its own then. */
export function whenGone({ socket }: IncomingMessage, response: ServerResponse, listener: () => void): void {
  const gone = (): void => {
    response.off('close', gone)
    socket.off('close', gone)
    listener()
  }
  response.on('close', gone)
  socket.on('close', gone)
  if (socket.destroyed) gone()
}

/** Parts in which streams end that are spread. */
const parts = 20

export function createStreams<Caller>(sessions: SessionKeeper<Caller>): Streams<Caller> {
  const open = new Map<object, (why: StreamEnd) => void>()
  let over = false
  return {
    carries: (socket) => open.has(socket),
    begin(request, response, principal, network) {
      const { socket } = request
      const leaving = new AbortController()
      const leave = (why: StreamEnd): void => {
        if (leaving.signal.aborted) return
        open.delete(socket)
        sessions.remove(session)
        leaving.abort(why)
      }
      const session: Session<Caller> = {
        principal,
        network,
        expire: () => leave('expired'),
        withdraw: () => leave('withdrawn'),
      }
      open.set(socket, leave)
      sessions.add(session)
      whenGone(request, response, () => leave('gone'))
      if (over) leave('closing')
      return leaving.signal
    },
    end(spread) {
      over = true
      const leaves = [...open.values()]
      const size = spread === undefined ? leaves.length : Math.ceil(leaves.length / parts)
      const endPart = (): void => {
        for (const leave of leaves.splice(0, size)) leave('closing')
        if (leaves.length > 0) spread!.clock.after(spread!.ms / parts, endPart)
      }
      endPart()
    },
  }
}
