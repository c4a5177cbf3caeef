import type { Clock } from '@wayleave/jsonrpc-core'
import type { WebSocket } from 'ws'

/** How often a connection is asked whether it is still there, and how long it may take to say so, in ms. */
const pingMs = 30_000

/** Pings a connection, so that it is not taken for idle on its way, and ends it when a ping is not answered by the next one. */
export function pingRegularly(webSocket: WebSocket, clock: Clock): void {
  let heard = true
  let stop = clock.after(pingMs, ping)

  function ping(): void {
    // Nothing is read of a connection whose calls are as many as allowed, and an answer cannot be heard.
    const deaf = webSocket.isPaused && webSocket.bufferedAmount === 0
    if (!heard && !deaf) return webSocket.terminate()
    heard = false
    webSocket.ping()
    stop = clock.after(pingMs, ping)
  }

  webSocket.on('pong', () => {
    heard = true
  })
  webSocket.on('close', () => stop())
}
