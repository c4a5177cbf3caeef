import { type Clock, isStream, type RpcMiddleware, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { NetworkKind } from '@wayleave/network'
import type { CallFailure } from '../../telemetry/call-labels.ts'
import type { OpenCall, OpenCalls } from '../../telemetry/open-calls.ts'
import { failureOfAnswer, failureOfRejection } from '../call-outcome.ts'
import type { Caller, GatewayContext } from '../../context/context.ts'

/** A call that has ended. */
export interface EndedCall {
  readonly request: RpcRequest
  readonly caller: Caller
  readonly isOfBatch: boolean
  /** Undefined: it has a result. */
  readonly failure: CallFailure | undefined
  /** Time to the beginning of its answer. */
  readonly ms: number
  /** Bytes of a result that came whole; undefined for one that is still arriving, and for an error. */
  readonly bytes: number | undefined
}

export interface WatchCallsOptions extends Pick<NetworkKind, 'actionOf'> {
  readonly clock: Clock
  /** The calls that have begun and have no answer yet. */
  readonly open: Pick<OpenCalls, 'begin' | 'end'>
  /** Called once with each call, also one of a batch or over a WebSocket, when its answer is known. It must not throw. */
  readonly onCall: (call: EndedCall) => void
}

/** Reports each call of callers with its outcome, from outside all stages but the trace, which names it. */
export function watchCalls(options: WatchCallsOptions): RpcMiddleware<GatewayContext> {
  const { clock, open, onCall } = options

  function ended(
    request: RpcRequest,
    { caller, batch }: GatewayContext,
    call: OpenCall,
    failure: CallFailure | undefined,
    bytes?: number,
  ): void {
    open.end(call)
    onCall({ request, caller, isOfBatch: batch !== undefined, failure, ms: clock.now() - call.begunAt, bytes })
  }

  function answered(request: RpcRequest, context: GatewayContext, call: OpenCall, response: RpcResponse): void {
    const { error, result, meta } = response
    if (error !== undefined) ended(request, context, call, failureOfAnswer(request, error, meta, options))
    else ended(request, context, call, undefined, isStream(result) ? undefined : result.byteLength)
  }

  return (next) => (request, context) => {
    const call = open.begin(clock.now())
    let answer: Promise<RpcResponse>
    try {
      answer = next(request, context)
    } catch (thrown) {
      ended(request, context, call, failureOfRejection(thrown))
      throw thrown
    }
    answer.then(
      (response) => answered(request, context, call, response),
      (thrown: unknown) => ended(request, context, call, failureOfRejection(thrown)),
    )
    return answer
  }
}
