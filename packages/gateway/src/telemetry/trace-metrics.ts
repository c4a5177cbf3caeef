import type { Registry } from './registry.ts'

export interface TraceMetrics {
  /** Counts spans that no collector took. */
  spansDropped(count: number): void
}

/** Creates the metrics of traces. */
export function createTraceMetrics(registry: Registry): TraceMetrics {
  const dropped = registry.counter({
    name: 'wayleave_dropped_spans_total',
    help: 'Spans of traces that were given up, as no collector took them in time',
  })()
  return { spansDropped: (count) => dropped.add(count) }
}
