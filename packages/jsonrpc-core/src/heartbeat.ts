import type { ConnectionWatch } from './connection-watch.ts'
import { RpcError } from './error.ts'

export interface HeartbeatOptions {
  /** A cheap call that the peer answers, with a result or with an error. */
  readonly method: string
  /** Default none: `[]`. */
  readonly params?: unknown
  /** Silence of the peer after which it is asked, in ms. Default 15,000. */
  readonly intervalMs?: number
  /** Further silence after which the connection is dropped, in ms. Default 5,000. */
  readonly timeoutMs?: number
}

/**
 * Drops a connection whose peer is dead; for the `watch` of a WebSocket transport. It asks a peer that was silent for
 * `intervalMs`. Any message is a sign of life, but a WebSocket pong is not. It runs one timer while the connection is
 * open, so it keeps no process alive longer than the connection does.
 */
export function heartbeat(options: HeartbeatOptions): ConnectionWatch {
  const { method, params = [], intervalMs = 15_000, timeoutMs = 5_000 } = options
  return ({ clock, heardAt, ask, drop }) => {
    let stop: () => void

    function listen(): void {
      stop = clock.after(heardAt() + intervalMs - clock.now(), () => {
        if (clock.now() - heardAt() < intervalMs) return listen()
        const askedAt = clock.now()
        ask(method, params)
        stop = clock.after(timeoutMs, () => {
          if (heardAt() >= askedAt) listen()
          else drop(new RpcError('disconnected', `the peer was silent for ${intervalMs + timeoutMs} ms`))
        })
      })
    }

    listen()
    return () => stop()
  }
}
