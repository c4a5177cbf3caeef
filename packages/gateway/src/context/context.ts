import type { DenialReason } from '@wayleave/auth'
import { CallContext, type ContextInit, RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { MeteredCaller } from '@wayleave/metering'
import type { Holding } from '@wayleave/http-server'
import type { Position } from '@wayleave/upstream'
import type { Principal } from '../principal.ts'
import type { RequestSpan } from '../trace/request-span.ts'
import type { LimitTally } from './limit-tally.ts'
import type { CallTimeouts } from '../config/timeouts.ts'

/** The origin of a call: its caller, its network, and the id under which the log knows it. */
export interface Caller {
  readonly principal: Principal
  /** The list of their project that the request did not pass; undefined: none. */
  readonly denied?: DenialReason | undefined
  readonly network: string
  readonly traceId: string
  /** Its span, where traces are exported or the caller named one. */
  readonly span?: RequestSpan | undefined
  /** The version of the interface that the path named, where the network has several. */
  readonly apiVersion?: string | undefined
  /** Whether results carry their marks inside, for callers whom no header reaches. */
  readonly inlineMarks?: boolean | undefined
  /** Whether its calls want answers of upstreams, and none of the cache. */
  readonly skipsCache?: boolean | undefined
  /** Present where the request is to be answered at one block. */
  readonly consistency?: Consistency | undefined
  /** The error of each call, where a directive of the request has no meaning. */
  readonly unknownDirective?: RpcErrorObject | undefined
  /** The bytes that the request holds. Default: nobody counts them. */
  readonly holding?: Holding
  /** The meters of their calls. Default: they are neither limited nor counted. */
  readonly metered?: MeteredCaller | undefined
  /** Present where the answer is to tell how the limits took a request over HTTP. */
  readonly tally?: LimitTally | undefined
  /** The waits of its methods; the deadline of the request is the longest. Default: they are all alike. */
  readonly timeouts?: CallTimeouts
}

/** The wish of a request to be answered at one block. */
export interface Consistency {
  /** Called with the block at which the request is answered, before any answer. */
  readonly onBlock: (block: Position) => void
}

/** The origins of batches of which a call was read. */
const readBatches = new WeakSet<Caller>()

/** The context of a call that came in through the gateway. */
export class GatewayContext extends CallContext {
  readonly caller: Caller
  /** Calls of its batch that have begun, and that have ended. */
  calls = 0
  endedCalls = 0
  // No private name: the constructor of the base class may release already.
  protected stopExtended: (() => void) | undefined

  constructor(init: ContextInit, caller: Caller) {
    // A fork has its parent's tenant.
    const isNamed = init.parent !== undefined || init.tenant !== undefined
    super(isNamed ? init : { ...init, tenant: caller.principal.project.id })
    this.caller = caller
  }

  /** Gives a call without a parent time until `deadline`, as its answer makes progress. */
  extend(deadline: number): void {
    if (this.cancelled !== undefined) return
    this.release()
    this.deadline = deadline
    this.stopExtended = this.clock.after(deadline - this.clock.now(), () =>
      this.cancel(new RpcError('timeout', 'no further part of the answer within the time allowed')),
    )
  }

  /** Whether a call was read of the body that it was made for. */
  get isRead(): boolean {
    return this.trace !== undefined || readBatches.has(this.caller)
  }

  /** Makes the context of the next call of its batch, with an id of its own. Call its `release` when the call has settled. */
  ofCall(): GatewayContext {
    const { clock, deadline, batch, session, caller } = this
    const traceId = `${caller.traceId}.${++this.calls}`
    if (this.calls === 1) readBatches.add(caller)
    return new GatewayContext({ clock, deadline, batch, session, parent: this }, { ...caller, traceId })
  }

  override release(): void {
    this.stopExtended?.()
    super.release()
  }

  protected override derive(init: ContextInit): this {
    return new GatewayContext(init, this.caller) as this
  }
}

/** Cancels the work of a caller who has gone. */
export const callerLeft: RpcError = new RpcError('aborted', 'the caller closed the connection')
