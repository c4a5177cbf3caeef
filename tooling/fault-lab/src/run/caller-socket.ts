import type { ServerSocket } from '@wayleave/jsonrpc-core/websocket'

type Listener = (event: { readonly data: unknown }) => void

/** The gateway's end of a caller's WebSocket. The caller reads at once, and answers a close at once. */
export class CallerSocket implements ServerSocket {
  readyState = 1
  readonly bufferedAmount = 0
  readonly #listeners: { readonly type: string; readonly listener: Listener }[] = []
  readonly #onMessage: (text: string) => void
  readonly #onClosed: (code: number, reason: string) => void

  constructor(onMessage: (text: string) => void, onClosed: (code: number, reason: string) => void) {
    this.#onMessage = onMessage
    this.#onClosed = onClosed
  }

  addEventListener(type: string, listener: Listener | (() => void)): void {
    this.#listeners.push({ type, listener })
  }

  send(text: string): void {
    if (this.readyState === 1) this.#onMessage(text)
  }

  close(code = 1000, reason = ''): void {
    if (this.readyState !== 1) return
    this.readyState = 2
    queueMicrotask(() => this.gone(code, reason))
  }

  terminate(): void {
    this.gone(1006)
  }

  /** Brings a message of the caller. */
  deliver(text: string): void {
    if (this.readyState === 1) this.#report('message', new TextEncoder().encode(text))
  }

  /** Ends the connection. */
  gone(code: number, reason = ''): void {
    if (this.readyState === 3) return
    this.readyState = 3
    this.#report('close', undefined)
    this.#onClosed(code, reason)
  }

  #report(wanted: string, data: unknown): void {
    for (const { type, listener } of this.#listeners) if (type === wanted) listener({ data })
  }
}
