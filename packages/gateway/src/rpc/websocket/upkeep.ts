import type { Clock } from '@wayleave/jsonrpc-core'
import { closeSocket } from '@wayleave/jsonrpc-core/websocket'
import type { WebSocket } from 'ws'

/** The state of a connection that its upkeep needs. */
export interface UpkeptSocket {
  readonly webSocket: WebSocket
  /** Whether anything came since the last ping; at least a pong has to. */
  heard: boolean
  /** Whether a message passed, either way, since the last ping. */
  active: boolean
  /** Time without a message, in ms. */
  quietMs: number
  /** {@link UpkeptSocket.takenNow} at the last ping. */
  taken: number
  /** Changes when the other end takes something. */
  readonly takenNow: number
}

/** Read anew for each round. */
export interface UpkeepOptions {
  readonly clock: Clock
  /** How often a connection is pinged, and how long it may take to answer. */
  readonly pingMs: number
  /** How long a connection may pass no message; looked at with each ping. */
  readonly idleMs: number
}

export interface Upkeep {
  add(socket: UpkeptSocket): void
  remove(socket: UpkeptSocket): void
}

/** Turns of a round: pings go out in small groups, by one timer for all connections. */
const turns = 16

/**
 * Pings connections, so that nothing on their way takes them for idle. A connection that has not answered by the next ping is cut, and
 * one that has passed nothing but pings for `idleMs` is closed. No timer runs while there are no connections.
 */
export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { clock } = options
  const groups = Array.from({ length: turns }, () => new Set<UpkeptSocket>())
  let turn = 0
  let count = 0
  let added = 0
  let stop: (() => void) | undefined

  function look(socket: UpkeptSocket): void {
    const { webSocket } = socket
    // A connection with all its calls in flight is not read, so its answer cannot be heard.
    const deaf = webSocket.isPaused && webSocket.bufferedAmount === 0
    // Nor is one that takes its answers slowly.
    const isTaking = webSocket.isPaused && socket.takenNow !== socket.taken
    socket.taken = socket.takenNow
    if (!socket.heard && !deaf && !isTaking) return webSocket.terminate()
    socket.heard = false
    socket.quietMs = socket.active ? 0 : socket.quietMs + options.pingMs
    socket.active = false
    if (socket.quietMs >= options.idleMs) closeSocket(webSocket, 'idle')
    else webSocket.ping()
  }

  function next(): void {
    turn = (turn + 1) % turns
    for (const socket of groups[turn]!) look(socket)
    stop = count === 0 ? undefined : clock.after(options.pingMs / turns, next)
  }

  return {
    add(socket) {
      // Connections that come at once must not be pinged at once.
      groups[added++ % turns]!.add(socket)
      count++
      stop ??= clock.after(options.pingMs / turns, next)
    },
    remove(socket) {
      for (const group of groups) {
        if (!group.delete(socket)) continue
        count--
        if (count > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}
