import { WebSocket } from 'ws'
import type { NetworkStreamMetrics } from '../../telemetry/stream-metrics.ts'

/** A WebSocket that counts it where this side closes it, when it does: its network may be gone once its other end has answered. */
export class ClosingSocket extends WebSocket {
  /** Undefined: nobody counts. */
  counts: Pick<NetworkStreamMetrics, 'closed'> | undefined

  override close(code?: number, reason?: string | Buffer): void {
    // `ws` calls this to answer the close of the other end, too, whose code may be any.
    const { _closeFrameReceived: isAnswer } = this as unknown as { readonly _closeFrameReceived: boolean }
    if (code !== undefined && !isAnswer && this.readyState === this.OPEN) this.counts?.closed(code)
    super.close(code, reason)
  }
}
