import type { ConnectionWatch } from './connection-watch.ts'
import { RpcError } from './error.ts'

export interface HeartbeatOptions {
  /** A cheap call that the peer answers, with a result or with an error. */
  readonly method: string
  /** Default none: `[]`. */
  readonly params?: unknown
  /** How long the peer may say nothing before it is asked, in ms. Default 15,000. */
  readonly intervalMs?: number
  /** How long it may then say nothing before it is gone, in ms. Default 5,000. */
  readonly timeoutMs?: number
}

/**
 * Drops a connection whose peer is dead, for the `watch` of a WebSocket transport: asks a peer that was silent for
 * `intervalMs`, and believes any message, but no WebSocket pong. One timer while the connection is open, which holds
 * no process longer than the connection does.
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
