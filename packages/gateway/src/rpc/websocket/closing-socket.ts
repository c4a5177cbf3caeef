import { WebSocket } from 'ws'

/** A WebSocket that remembers the code with which this side closed it. */
export class ClosingSocket extends WebSocket {
  /** Undefined where its other end closed it, or nobody did. */
  closedAs: number | undefined

  override close(code?: number, reason?: string | Buffer): void {
    // `ws` calls this to answer the close of the other end, too, whose code may be any.
    const { _closeFrameReceived: isAnswer } = this as unknown as { readonly _closeFrameReceived: boolean }
    if (!isAnswer && this.readyState === this.OPEN) this.closedAs ??= code
    super.close(code, reason)
  }
}
