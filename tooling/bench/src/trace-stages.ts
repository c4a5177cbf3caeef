import { type Caller, GatewayContext } from '@wayleave/gateway/internal/context/context'
import { traceCalls } from '@wayleave/gateway/internal/rpc/stages/trace-calls'
import { traceOf } from '@wayleave/gateway/internal/trace/call-trace'
import { createCallRecorder } from '@wayleave/gateway/internal/trace/recorder'
import { createTracer, type Tracer } from '@wayleave/gateway/internal/trace/tracer'
import { realSurroundings } from '@wayleave/gateway/internal/defaults'
import { type RpcHandler, type RpcRequest, type RpcResponse, systemClock } from '@wayleave/jsonrpc-core'
import type { Stage } from './time-stages.ts'

/** The bars of the operations issue, in microseconds. */
const bars = { explain: 0.3, off: 0.05, onePercent: 0.3 }

/**
 * The stages that trace calls. `explain` notes each call, with the two marks that the pool makes; the lines of tracing are what a configured
 * collector adds to it: the coin, and for one call in a hundred its spans and their JSON.
 */
export function createTraceStages(caller: Caller, request: RpcRequest, result: RpcResponse): readonly Stage[] {
  const meta = { endpoint: 'first', attempts: 1 }
  const answered: Promise<RpcResponse> = Promise.resolve({ ...result, meta } as RpcResponse)
  const pooled: RpcHandler = (_request, context) => {
    const trace = traceOf(context)
    trace?.mark('asked', 1, 'first')
    trace?.mark('answered', 2, 'first')
    return answered
  }
  const recorder = createCallRecorder({ clock: systemClock })
  const off = tracerOf()
  const on = tracerOf()
  on.adopt({ endpoint: 'http://collector.invalid/v1/traces', sample: 0.01 })
  const options = {
    network: 'bench',
    methods: new Set([request.method]),
    candidates: () => [],
    recorder,
    clock: systemClock,
  }
  const traced = traceCalls({ ...options, tracer: on })(pooled)
  const timeouts = { longestMs: 30_000, of: () => undefined }
  const timed = contextOf({ ...caller, timeouts })
  const sampled = { ...caller, timeouts }
  // Its timer must not keep the process alive.
  timed.release()

  /** A call as the listener begins it, with its span if the coin says so. */
  function callAtOnePercent(): Promise<unknown> | undefined {
    const span = on.begin(undefined)
    if (span === undefined) return undefined
    const own = contextOf({ ...sampled, span })
    own.release()
    return traced(request, own)
  }

  return [
    { name: 'explain', allowanceMicros: bars.explain, run: () => traced(request, timed) },
    { name: 'tracing off', allowanceMicros: bars.off, run: () => void off.begin(undefined) },
    { name: 'tracing at 1 %', allowanceMicros: bars.onePercent, runsToOne: 100, run: callAtOnePercent },
  ]
}

function contextOf(of: Caller): GatewayContext {
  return new GatewayContext({ clock: systemClock, deadline: systemClock.now() + 30_000, acceptStream: true }, of)
}

function tracerOf(): Tracer {
  const { random, newTraceId } = realSurroundings
  return createTracer({
    random,
    newTraceId,
    clock: { ...systemClock, after: (_ms, run) => (setImmediate(run), () => {}) },
    log: { repeats: { warn() {}, error() {}, flush() {} } } as never,
    onDropped() {
      throw new Error('spans were dropped: the line would tell too little')
    },
    // Reads the body as a socket would, and takes it.
    fetch: async (_url, init) => {
      Buffer.from(init?.body as string)
      return new Response('{}')
    },
  })
}
