import { follow, type Registry } from '@wayleave/telemetry'
import type { MetricFamilies } from './families.ts'

/** The state of a process, read when the metrics are printed. */
export interface ProcessState {
  readonly cpuUserSeconds: number
  readonly cpuSystemSeconds: number
  readonly residentBytes: number
  /** Undefined where the system does not tell. */
  readonly openFds: number | undefined
  /** Undefined likewise; infinite where nothing bounds them. */
  readonly maxFds: number | undefined
  readonly heapUsedBytes: number
  readonly heapTotalBytes: number
  readonly externalBytes: number
  /** Delays of the event loop since about the last reading, in seconds. */
  readonly lag: { readonly mean: number; readonly p50: number; readonly p99: number; readonly max: number }
}

/** The state of a process that is watched, until it is closed. */
export interface ProcessWatch {
  read(): ProcessState
  /** Calls back with each garbage collection: its kind, such as `minor`, and its length in seconds. */
  onCollection(run: (kind: string, seconds: number) => void): void
  close(): void
}

export interface ProcessMetricsOptions {
  readonly watch: Pick<ProcessWatch, 'read' | 'onCollection'>
  /** Seconds since 1970. */
  readonly startSeconds: number
  /** The memory that the process may use, in bytes. */
  readonly memoryBytes: number
  /** `v24.1.0`. */
  readonly nodeVersion: string
}

/** Prints the state of the process from now on. */
export function watchProcess(registry: Registry, families: MetricFamilies, options: ProcessMetricsOptions): void {
  const { watch, startSeconds, memoryBytes, nodeVersion } = options
  families.nodeVersion(nodeVersion).set(1)
  families.startTime().set(startSeconds)
  families.memoryLimitBytes().set(memoryBytes)
  watch.onCollection((kind, seconds) => families.collectionSeconds(kind).observe(seconds))
  let state!: ProcessState
  registry.beforePrint(() => {
    state = watch.read()
    families.residentBytes().set(state.residentBytes)
    families.openFds().set(state.openFds ?? Number.NaN)
    families.maxFds().set(state.maxFds ?? Number.NaN)
    families.eventLoopLag().set(state.lag.mean)
    families.eventLoopLagP50().set(state.lag.p50)
    families.eventLoopLagP99().set(state.lag.p99)
    families.eventLoopLagMax().set(state.lag.max)
    families.heapUsedBytes().set(state.heapUsedBytes)
    families.heapTotalBytes().set(state.heapTotalBytes)
    families.externalBytes().set(state.externalBytes)
  })
  follow(registry, families.cpuUserSeconds(), () => state.cpuUserSeconds)
  follow(registry, families.cpuSystemSeconds(), () => state.cpuSystemSeconds)
  follow(registry, families.cpuSeconds(), () => state.cpuUserSeconds + state.cpuSystemSeconds)
}
