import WebSocket from 'isomorphic-ws'

/** The members of a W3C WebSocket that a transport needs. */
export interface SocketLike {
  readonly bufferedAmount: number
  send(data: string): void
  close(code?: number, reason?: string): void
  /** Ends the connection without a closing handshake; `ws` has it, browsers do not. */
  terminate?(): void
  addEventListener(type: 'open', listener: () => void): void
  /** Only `ws` sets `error`; a browser gives no reason. */
  addEventListener(type: 'error', listener: (event: { readonly error?: unknown }) => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason?: string }) => void): void
}

export interface SocketOptions {
  /** Request headers of the upgrade; browsers cannot send any. */
  readonly headers: Readonly<Record<string, string>>
  /** Longest message, in bytes. */
  readonly maxMessageBytes: number
}

/** Opens a WebSocket. It returns at once, and the socket's events tell the rest. */
export type SocketPort = (url: string, options: SocketOptions) => SocketLike

type NodeSocketConstructor = new (url: string, protocols: readonly string[], options: object) => SocketLike
type WebSocketConstructor = new (url: string) => SocketLike

/** The platform's WebSocket in browsers, `ws` in Node. */
export const connectSocket: SocketPort = (url, { headers, maxMessageBytes }) => {
  // In browsers isomorphic-ws is the native class, which takes no options.
  if (WebSocket === (globalThis.WebSocket as unknown)) return new (WebSocket as unknown as WebSocketConstructor)(url)
  const NodeSocket = WebSocket as unknown as NodeSocketConstructor
  return new NodeSocket(url, [], {
    headers,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    // A peer may announce a close and never finish it.
    closeTimeout: 1_000,
  })
}
