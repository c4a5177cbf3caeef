import { CallContext, type Clock, type RpcContext, RpcError } from '@wayleave/jsonrpc-core'

/** The context of the attempts of a write. It has no timer until it outlives the call, whose deadline it keeps. */
export class WriteContext extends CallContext {
  // No private name: the constructor of the base class may release already.
  protected stopTimer: (() => void) | undefined

  constructor({ deadline, batch, session, tenant, trace }: RpcContext, clock: Clock) {
    super({ clock, deadline, batch, session, tenant, untimed: true })
    this.trace = trace
  }

  /** Goes on without the call until its deadline, or until it is released. */
  outlive(): void {
    const leftMs = Math.max(0, this.deadline - this.clock.now())
    this.stopTimer = this.clock.after(leftMs, () => this.cancel(tooLate))
  }

  override release(): void {
    this.stopTimer?.()
    super.release()
  }
}

const tooLate: RpcError = new RpcError('timeout', 'no answer within the time allowed')
