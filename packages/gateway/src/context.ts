import type { Project } from '@wayleave/auth'
import { CallContext, type ContextInit } from '@wayleave/jsonrpc-core'

/** Who calls, where to, and under which id the log knows it. */
export interface Caller {
  readonly project: Project
  readonly network: string
  readonly traceId: string
}

/** The context of a call that came in through the gateway. */
export class GatewayContext extends CallContext {
  readonly caller: Caller

  constructor(init: ContextInit, caller: Caller) {
    super(init)
    this.caller = caller
  }

  protected override derive(init: ContextInit): this {
    return new GatewayContext(init, this.caller) as this
  }
}
