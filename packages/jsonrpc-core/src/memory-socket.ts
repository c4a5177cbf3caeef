import type { ServerSocket } from './serve-socket.ts'
import type { SocketLike } from './socket-port.ts'

interface SocketEvent {
  readonly data: unknown
  readonly code: number
  readonly error?: unknown
}
type Listener = (event: SocketEvent) => void

/** One end of a connection inside this process; what is sent arrives in order, in a later turn. */
interface MemorySocket extends SocketLike, ServerSocket {
  addEventListener(type: 'open' | 'error' | 'message' | 'close', listener: (event: SocketEvent) => void): void
  /** Ends the connection without a word. */
  terminate(): void
}

/** Two ends that are not connected yet, and what connects them. */
export function createSocketPair(): { readonly near: MemorySocket; readonly far: MemorySocket; open(): void } {
  const near = new End()
  const far = new End()
  near.other = far
  far.other = near
  return {
    near,
    far,
    open() {
      if (near.readyState !== connecting) return
      near.readyState = far.readyState = open
      far.dispatch('open')
      near.dispatch('open')
    },
  }
}

const connecting = 0
const open = 1
const closing = 2
const closed = 3

class End implements MemorySocket {
  readyState = connecting
  readonly bufferedAmount = 0
  other!: End
  readonly #listeners: { readonly type: string; readonly listener: Listener }[] = []

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push({ type, listener })
  }

  send(data: string): void {
    if (this.readyState === open) queueMicrotask(() => this.other.receive(data))
  }

  close(code = 1000): void {
    if (this.readyState === connecting) return this.terminate()
    if (this.readyState !== open) return
    this.readyState = closing
    // The other end answers the close, and both are closed.
    queueMicrotask(() => {
      this.other.end(code)
      this.end(code)
    })
  }

  terminate(): void {
    queueMicrotask(() => {
      this.end(1006)
      this.other.end(1006)
    })
  }

  receive(data: string): void {
    if (this.readyState !== closed) this.dispatch('message', data)
  }

  end(code: number): void {
    if (this.readyState === closed) return
    this.readyState = closed
    this.dispatch('close', undefined, code)
  }

  dispatch(wanted: string, data?: string, code = 0): void {
    for (const { type, listener } of this.#listeners) if (type === wanted) listener({ data, code })
  }
}
