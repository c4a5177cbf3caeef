import type { Clock, RpcContext } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import { type TracingConfig, tracingDefaults } from '../config/telemetry-config.ts'
import type { CallRecord } from './call-record.ts'
import { traceOf } from './call-trace.ts'
import { createExporter, type Exporter, type ExporterOptions } from './exporter.ts'
import { attemptSpanId, spanOfBatch, spansOf, type TracedBatch } from './otlp.ts'
import type { RequestSpan } from './request-span.ts'
import { parseTraceparent, printTraceparent } from './traceparent.ts'

/** Samples requests and exports their spans. */
export interface Tracer {
  /** Tosses the coin for a request. Undefined: it is not sampled, and its caller named no trace. */
  begin(traceparent: string | undefined): RequestSpan | undefined
  /** Exports a call of a request that is sampled. */
  ended(record: CallRecord): void
  /** Exports a batch that is sampled, once all its calls have ended. */
  batchEnded(batch: TracedBatch): void
  /** Prints the `traceparent` of a call to an upstream of a name; undefined unless `tracing.propagate` is set. */
  traceparentOf(upstream: string, context: RpcContext): string | undefined
  /** Goes on under another configuration; undefined: nothing is traced. */
  adopt(config: TracingConfig | undefined): void
  /** Exports what waits, for a second at most. */
  close(): Promise<void>
}

export interface TracerOptions extends Pick<ExporterOptions, 'clock' | 'onDropped' | 'fetch'> {
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** Makes 32 random hex digits. */
  readonly newTraceId: () => string
  readonly log: Pick<Log, 'repeats'>
}

/** Requests that are sampled for their callers' sake at once, in seconds of their rate. */
const burstSeconds = 2

/** Creates a {@link Tracer} that traces nothing until it adopts a configuration. */
export function createTracer(options: TracerOptions): Tracer {
  const { random, newTraceId, clock, log } = options
  let sample = 0
  let propagates = false
  let exporter: Exporter | undefined
  let takeCallers: () => boolean = () => false
  const closing = new Set<Promise<void>>()

  function retire(): void {
    const done = exporter?.close().finally(() => closing.delete(done!))
    if (done !== undefined) closing.add(done)
    exporter = undefined
  }

  return {
    begin(header) {
      if (exporter === undefined) return undefined
      const caller = header === undefined ? undefined : parseTraceparent(header)
      const isSampled = random() < sample || (caller?.isSampled === true && takeCallers())
      if (!isSampled && caller === undefined) return undefined
      const traceId = caller?.traceId ?? newTraceId()
      return { traceId, spanId: newTraceId().slice(16), parentId: caller?.parentId, isSampled }
    },
    ended: (record) => exporter?.add((zero) => spansOf(record, zero)),
    batchEnded: (batch) => exporter?.add((zero) => [spanOfBatch(batch, zero)]),
    traceparentOf(upstream, context) {
      if (!propagates) return undefined
      const trace = traceOf(context)
      const spanId = trace && attemptSpanId(trace, upstream)
      return spanId === undefined ? undefined : printTraceparent(trace!.span!.traceId, spanId, true)
    },
    adopt(config) {
      retire()
      propagates = config?.propagate ?? tracingDefaults.propagate
      if (config === undefined) return
      sample = config.sample ?? tracingDefaults.sample
      takeCallers = createRate(config.callersPerSecond ?? tracingDefaults.callersPerSecond, clock)
      exporter = createExporter({
        ...options,
        endpoint: config.endpoint,
        headers: config.headers ?? {},
        onFailure: (why) => log.repeats.warn(['tracing', why], {}, `traces cannot be exported: ${why}`),
      })
    },
    async close() {
      retire()
      await Promise.all(closing)
    },
  }
}

/** Lets `perSecond` pass, two seconds' worth at once. */
function createRate(perSecond: number, clock: Pick<Clock, 'now'>): () => boolean {
  const most = perSecond * burstSeconds
  let left = most
  let at = clock.now()
  return () => {
    const now = clock.now()
    left = Math.min(most, left + ((now - at) / 1_000) * perSecond)
    at = now
    if (left < 1) return false
    left--
    return true
  }
}
