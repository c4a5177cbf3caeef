import type { Clock, CloseReason } from '@wayleave/jsonrpc-core'
import { closeSocket } from '@wayleave/jsonrpc-core/websocket'
import type { WebSocket } from 'ws'

/** How long the news of a close may take to be sent, in ms. */
const closeMs = 250

/** Closes a connection, of which nothing more is read, whatever its other end does. */
export function closeAtOnce(webSocket: WebSocket, clock: Clock, reason: CloseReason, text?: string): void {
  closeSocket(webSocket, reason, text)
  webSocket.pause()
  const stop = clock.after(closeMs, () => webSocket.terminate())
  webSocket.on('close', stop)
}
