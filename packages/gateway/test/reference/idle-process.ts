import type { ProcessMetricsOptions, ProcessState } from '../../src/telemetry/process-metrics.ts'

const state: ProcessState = {
  cpuUserSeconds: 2,
  cpuSystemSeconds: 1,
  residentBytes: 100_000_000,
  openFds: 20,
  maxFds: 1_024,
  heapUsedBytes: 30_000_000,
  heapTotalBytes: 50_000_000,
  externalBytes: 4_000_000,
  lag: { mean: 0.001, p50: 0.001, p99: 0.002, max: 0.003 },
}

/** A process of which nothing changes. */
export const idleProcess: ProcessMetricsOptions = {
  watch: { read: () => state, onCollection() {} },
  startSeconds: 1_700_000_000,
  memoryBytes: 512 * 1024 * 1024,
  nodeVersion: 'v24.0.0',
}
