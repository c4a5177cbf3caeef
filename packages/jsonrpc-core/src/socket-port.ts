import WebSocket from 'isomorphic-ws'

/** What a transport needs of a W3C WebSocket. */
export interface SocketLike {
  readonly bufferedAmount: number
  send(data: string): void
  close(code?: number, reason?: string): void
  /** Ends the connection without a word; `ws` has it, browsers do not. */
  terminate?(): void
  addEventListener(type: 'open', listener: () => void): void
  /** `error` is set by `ws` only; a browser tells nothing. */
  addEventListener(type: 'error', listener: (event: { readonly error?: unknown }) => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void
}

export interface SocketOptions {
  /** Request headers of the upgrade; browsers cannot send any. */
  readonly headers: Readonly<Record<string, string>>
  /** Longest message, in bytes. */
  readonly maxMessageBytes: number
}

/** How a WebSocket is opened. Returns at once; the socket tells the rest by its events. */
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
    // A peer that says it closes and then does not is gone all the same.
    closeTimeout: 1_000,
  })
}
