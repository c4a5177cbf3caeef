import type { Clock } from '@wayleave/jsonrpc-core'
import type { WebSocket } from 'ws'

/** How long the news of a close may take to be sent, in ms. */
const closeMs = 250

/** Closes a connection, of which nothing more is read, whatever its other end does. */
export function closeAtOnce(webSocket: WebSocket, code: number, reason: string, clock: Clock): void {
  webSocket.close(code, reason)
  webSocket.pause()
  const stop = clock.after(closeMs, () => webSocket.terminate())
  webSocket.on('close', stop)
}
