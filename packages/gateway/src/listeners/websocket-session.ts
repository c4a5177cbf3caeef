import type { RpcSession } from '@wayleave/jsonrpc-core'
import type { WebSocket } from 'ws'

/** Unsent bytes after which a subscriber is called slow, and after which his connection is closed. */
const slowBytes = 1024 * 1024
const mostUnsentBytes = 16 * 1024 * 1024

/** The session of one WebSocket: a subscriber who does not read is closed with 1013. */
export function createWebSocketSession(webSocket: WebSocket): RpcSession {
  const listeners = new Set<() => void>()
  webSocket.on('close', () => {
    for (const listener of listeners) listener()
    listeners.clear()
  })
  return {
    subscriptions: new Map(),
    send(message) {
      if (webSocket.readyState !== webSocket.OPEN) return false
      if (webSocket.bufferedAmount > mostUnsentBytes) {
        webSocket.close(1013, 'messages are not read fast enough')
        return false
      }
      webSocket.send(message)
      return webSocket.bufferedAmount < slowBytes
    },
    onClose(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    close: (code, reason) => webSocket.close(code, reason),
  }
}
