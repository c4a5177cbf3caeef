import {
  type Clock,
  RpcError,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { refusalOf } from '@wayleave/metering'
import { cacheOutcome } from '@wayleave/rpc-cache'
import { type CandidateThen, verifiedMark } from '@wayleave/network'
import { describe } from '../../errors.ts'
import type { CallOutcome, CallRecord } from '../../trace/call-record.ts'
import { CallTrace } from '../../trace/call-trace.ts'
import type { CallRecorder } from '../../trace/recorder.ts'
import type { Tracer } from '../../trace/tracer.ts'
import { limitText, withoutParams } from '../../trace/words.ts'
import type { GatewayContext } from '../../context/context.ts'

export interface TraceCallsOptions {
  readonly network: string
  /** The methods that are told by name. */
  readonly methods: ReadonlySet<string>
  /** Returns the upstreams as they stand for a call. */
  readonly candidates: (request: RpcRequest, context: GatewayContext) => readonly CandidateThen[]
  readonly recorder: Pick<CallRecorder, 'wentWell' | 'keep'>
  readonly tracer: Pick<Tracer, 'ended' | 'batchEnded'>
  readonly clock: Pick<Clock, 'now'>
}

/** From this time on, in ms, a call counts as slow. */
export const slowMs = 1_000
/** Longest name of an unknown method that is kept, in characters. */
const longestMethod = 64

/**
 * Traces each call from the whole request to its answer: notes it for `GET /explain`, and gives it to the tracer where it is sampled. Calls
 * of a batch have contexts and ids of their own from here on. Stands above all stages that may refuse a call.
 */
export function traceCalls(options: TraceCallsOptions): RpcMiddleware<GatewayContext> {
  const { network, methods, candidates, recorder, tracer, clock } = options
  /** One text for each method: that of a request may be a piece of its whole body. */
  const names = new Map([...methods].map((method) => [method, method]))

  /** Names an unknown method, which a caller chose, by a copy. */
  function strangeName(method: string): string {
    return Buffer.from(method.slice(0, longestMethod)).toString()
  }

  function begin({ method }: RpcRequest, { caller, deadline }: GatewayContext, nth: number | undefined): CallTrace {
    const { principal, traceId, timeouts, span } = caller
    const name = names.get(method)
    return new CallTrace(traceId, {
      network,
      method: name ?? strangeName(method),
      isKnown: name !== undefined,
      project: principal.project.id,
      keyId: principal.keyId,
      begunAt: timeouts === undefined ? clock.now() : deadline - timeouts.longestMs,
      span: span?.isSampled === true ? span : undefined,
      nth,
    })
  }

  /** Looks at the upstreams; a policy of the operator that fails there must not end the process. */
  function candidatesOf(request: RpcRequest, context: GatewayContext): readonly CandidateThen[] {
    try {
      return candidates(request, context)
    } catch {
      return []
    }
  }

  function answered(trace: CallTrace, response: RpcResponse, request: RpcRequest, context: GatewayContext): void {
    const { meta, error } = response
    const ms = clock.now() - trace.begunAt
    const { endpoint, attempts = 1 } = meta ?? {}
    const cache = cacheOutcome.of(meta)
    const verification = verifiedMark.of(meta)
    const isOurs = error !== undefined && error.raw === undefined
    const reported = error && { code: error.code, message: withoutParams(error.message) }
    const isWell = !isOurs && ms < slowMs && attempts < 2 && !trace.isTroubled && trace.leader?.isTroubled !== true
    if (isWell) recorder.wentWell(trace, ms, endpoint, cache, verification, reported)
    if (isWell && trace.span === undefined) return
    const outcome: CallOutcome = error === undefined ? 'answered' : isOurs ? 'refused' : 'node_error'
    const record: CallRecord = {
      trace,
      ms,
      outcome,
      code: reported?.code,
      message: reported?.message,
      upstream: endpoint,
      cache,
      verification,
      candidates: isWell || isOurs ? [] : candidatesOf(request, context),
    }
    if (!isWell) recorder.keep(record)
    if (trace.span !== undefined) tracer.ended(record)
  }

  function failed(trace: CallTrace, thrown: unknown, request: RpcRequest, context: GatewayContext): void {
    const why = thrown instanceof RpcError ? thrown : undefined
    const limit = why && refusalOf(why)
    const isRefused = why?.code === 'denied' || why?.code === 'too_large' || why?.rpc?.code === -32005
    const outcome = why?.code === 'aborted' ? 'cancelled' : isRefused ? 'refused' : 'failed'
    const record: CallRecord = {
      trace,
      ms: clock.now() - trace.begunAt,
      outcome,
      code: why?.rpc?.code ?? why?.code ?? 'internal',
      message: limit
        ? limitText(limit)
        : why
          ? withoutParams(describe(why).message)
          : 'a bug of the gateway: the log has it',
      upstream: undefined,
      cache: undefined,
      verification: undefined,
      candidates: outcome === 'failed' ? candidatesOf(request, context) : [],
    }
    recorder.keep(record)
    if (trace.span !== undefined) tracer.ended(record)
  }

  /** `batch`: the context of the batch that the call is one of. */
  function serve(
    next: RpcHandler<GatewayContext>,
    request: RpcRequest,
    context: GatewayContext,
    batch?: GatewayContext,
  ): Promise<RpcResponse> {
    const trace = begin(request, context, batch?.calls)
    context.trace = trace
    const answer = next(request, context)
    // A promise between would cost a turn of each call. These run before whoever waits for the answer.
    answer.then(
      (response) => {
        answered(trace, response, request, context)
        if (batch !== undefined) ended(context, trace, batch)
      },
      (thrown: unknown) => {
        failed(trace, thrown, request, context)
        if (batch !== undefined) ended(context, trace, batch)
      },
    )
    return answer
  }

  return (next) => (request, context) =>
    context.batch === undefined ? serve(next, request, context) : serve(next, request, context.ofCall(), context)

  /** Ends a call of a batch, and exports the span of the batch with the last of them: all have begun before one can end. */
  function ended(own: GatewayContext, { span, begunAt }: CallTrace, context: GatewayContext): void {
    own.release()
    if (++context.endedCalls < context.calls || span === undefined) return
    const { calls, caller } = context
    tracer.batchEnded({ span, id: caller.traceId, network, begunAt, ms: clock.now() - begunAt, calls })
  }
}
