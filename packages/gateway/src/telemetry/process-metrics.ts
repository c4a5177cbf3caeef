import type { Registry } from './registry.ts'

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

/** Upper bounds of garbage collections, in seconds. */
const collectionSeconds = [0.001, 0.01, 0.1, 1, 2, 5]

/** Creates the metrics of the process, under the names that Prometheus' clients give them. */
export function createProcessMetrics(registry: Registry, options: ProcessMetricsOptions): void {
  const { watch, startSeconds, memoryBytes, nodeVersion } = options
  const cpuUser = registry.counter({
    name: 'process_cpu_user_seconds_total',
    help: 'Processor time of the process in user mode, in seconds',
  })()
  const cpuSystem = registry.counter({
    name: 'process_cpu_system_seconds_total',
    help: 'Processor time of the process in the kernel, in seconds',
  })()
  const cpu = registry.counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, in seconds: more than 1 a second with threads',
  })()
  const gauge = (name: string, help: string, across: 'sum' | 'max' | 'min' = 'sum') =>
    registry.gauge({ name, help, across })()
  const resident = gauge('process_resident_memory_bytes', 'Memory of the process that is in RAM, in bytes')
  const openFds = gauge('process_open_fds', 'Open file descriptors; NaN where the system does not tell', 'max')
  const maxFds = gauge('process_max_fds', 'Most file descriptors that may be open (ulimit -n)', 'min')
  const start = gauge('process_start_time_seconds', 'When the process began, in seconds since 1970', 'min')
  const memory = gauge(
    'wayleave_memory_limit_bytes',
    'Memory that the process may use, in bytes: the limit of its control group, else that of the machine',
    'max',
  )
  const help = (which: string): string =>
    `Time by which the event loop came late, ${which}, in seconds, since about the last scrape`
  const lag = gauge('nodejs_eventloop_lag_seconds', help('mean'), 'max')
  const lagMedian = gauge('nodejs_eventloop_lag_p50_seconds', help('median'), 'max')
  const lagP99 = gauge('nodejs_eventloop_lag_p99_seconds', help('99th percentile'), 'max')
  const lagMost = gauge('nodejs_eventloop_lag_max_seconds', help('greatest'), 'max')
  const heapUsed = gauge('nodejs_heap_size_used_bytes', 'Bytes of the heap of V8 that are used')
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'Bytes of the heap of V8, with what is free in it')
  const external = gauge(
    'nodejs_external_memory_bytes',
    'Bytes outside the heap of V8 that its objects hold, such as buffers',
  )
  const collections = registry.histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Garbage collections by kind: minor, major, incremental or weakcb',
    labels: ['kind'],
    buckets: collectionSeconds,
  })
  registry
    .gauge({ name: 'nodejs_version_info', help: 'The version of Node.js', labels: ['version'], across: 'max' })(
      nodeVersion,
    )
    .set(1)
  start.set(startSeconds)
  memory.set(memoryBytes)
  watch.onCollection((kind, seconds) => collections(kind).observe(seconds))
  let [user, system] = [0, 0]
  registry.beforePrint(() => {
    const state = watch.read()
    cpuUser.add(state.cpuUserSeconds - user)
    cpuSystem.add(state.cpuSystemSeconds - system)
    cpu.add(state.cpuUserSeconds - user + state.cpuSystemSeconds - system)
    ;[user, system] = [state.cpuUserSeconds, state.cpuSystemSeconds]
    resident.set(state.residentBytes)
    openFds.set(state.openFds ?? Number.NaN)
    maxFds.set(state.maxFds ?? Number.NaN)
    lag.set(state.lag.mean)
    lagMedian.set(state.lag.p50)
    lagP99.set(state.lag.p99)
    lagMost.set(state.lag.max)
    heapUsed.set(state.heapUsedBytes)
    heapTotal.set(state.heapTotalBytes)
    external.set(state.externalBytes)
  })
}
