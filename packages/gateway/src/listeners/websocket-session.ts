import type { RpcSession } from '@wayleave/jsonrpc-core'
import type { WebSocket } from 'ws'
import type { UpkeptSocket } from './websocket-upkeep.ts'

/** Unsent bytes after which a subscriber is called slow, and after which his connection is closed. */
const slowBytes = 1024 * 1024
const mostUnsentBytes = 16 * 1024 * 1024

/** The session of one WebSocket: a subscriber who does not read is closed with 1013. An idle one holds next to nothing. */
export class WebSocketSession implements RpcSession, UpkeptSocket {
  readonly webSocket: WebSocket
  heard = true
  active = true
  quietMs = 0
  #subscriptions: Map<string, () => void> | undefined
  #listeners: Set<() => void> | undefined

  constructor(webSocket: WebSocket) {
    this.webSocket = webSocket
  }

  get subscriptions(): Map<string, () => void> {
    return (this.#subscriptions ??= new Map())
  }

  send(message: string): boolean {
    const { webSocket } = this
    if (webSocket.readyState !== webSocket.OPEN) return false
    if (webSocket.bufferedAmount > mostUnsentBytes) {
      webSocket.close(1013, 'messages are not read fast enough')
      return false
    }
    this.active = true
    webSocket.send(message)
    return webSocket.bufferedAmount < slowBytes
  }

  onClose(listener: () => void): () => void {
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  close(code: number, reason: string): void {
    this.webSocket.close(code, reason)
  }

  /** Tells everybody that the connection has gone. */
  closed(): void {
    const listeners = this.#listeners
    this.#listeners = undefined
    for (const listener of listeners ?? []) listener()
  }
}
