/**
 * The metrics of the process, under the names that Prometheus' clients give them, and of its limits, usage, log and traces. They are printed
 * behind those of networks.
 */
export const processFamilies = {
  cpuUserSeconds: {
    counter: 'process_cpu_user_seconds_total',
    help: 'Processor time of the process in user mode, in seconds',
  },
  cpuSystemSeconds: {
    counter: 'process_cpu_system_seconds_total',
    help: 'Processor time of the process in the kernel, in seconds',
  },
  cpuSeconds: {
    counter: 'process_cpu_seconds_total',
    help: 'Processor time of the process, in seconds: more than 1 a second with threads',
  },
  residentBytes: {
    gauge: 'process_resident_memory_bytes',
    across: 'sum',
    help: 'Memory of the process that is in RAM, in bytes',
  },
  openFds: {
    gauge: 'process_open_fds',
    across: 'max',
    help: 'Open file descriptors; NaN where the system does not tell',
  },
  maxFds: { gauge: 'process_max_fds', across: 'min', help: 'Most file descriptors that may be open (ulimit -n)' },
  startTime: {
    gauge: 'process_start_time_seconds',
    across: 'min',
    help: 'When the process began, in seconds since 1970',
  },
  memoryLimitBytes: {
    gauge: 'wayleave_memory_limit_bytes',
    across: 'max',
    help: 'Memory that the process may use, in bytes: the limit of its control group, else that of the machine',
  },
  eventLoopLag: {
    gauge: 'nodejs_eventloop_lag_seconds',
    across: 'max',
    help: 'Time by which the event loop came late, mean, in seconds, since about the last scrape',
  },
  eventLoopLagP50: {
    gauge: 'nodejs_eventloop_lag_p50_seconds',
    across: 'max',
    help: 'Time by which the event loop came late, median, in seconds, since about the last scrape',
  },
  eventLoopLagP99: {
    gauge: 'nodejs_eventloop_lag_p99_seconds',
    across: 'max',
    help: 'Time by which the event loop came late, 99th percentile, in seconds, since about the last scrape',
  },
  eventLoopLagMax: {
    gauge: 'nodejs_eventloop_lag_max_seconds',
    across: 'max',
    help: 'Time by which the event loop came late, greatest, in seconds, since about the last scrape',
  },
  heapUsedBytes: { gauge: 'nodejs_heap_size_used_bytes', across: 'sum', help: 'Bytes of the heap of V8 that are used' },
  heapTotalBytes: {
    gauge: 'nodejs_heap_size_total_bytes',
    across: 'sum',
    help: 'Bytes of the heap of V8, with what is free in it',
  },
  externalBytes: {
    gauge: 'nodejs_external_memory_bytes',
    across: 'sum',
    help: 'Bytes outside the heap of V8 that its objects hold, such as buffers',
  },
  collectionSeconds: {
    histogram: 'nodejs_gc_duration_seconds{kind}',
    buckets: 'collection',
    help: 'Garbage collections by kind: minor, major, incremental or weakcb',
  },
  nodeVersion: { gauge: 'nodejs_version_info{version}', across: 'max', help: 'The version of Node.js' },
  admissionRefusals: {
    counter: 'wayleave_admission_refusals_total{reason}',
    help: 'Requests and connections that were not admitted, by the reason, such as unknown_key, denied or unknown_network',
  },
  limitedCalls: {
    counter: 'wayleave_limited_total{project,window}',
    help: 'Calls and requests that a limit of their key or project refused, by the window of the limit',
  },
  forgottenLimits: {
    counter: 'wayleave_limits_forgotten_total{part}',
    help: 'Buckets of limits that were in use and were forgotten for newer ones: of a visitor, or one that processes share at the primary',
  },
  quotaMarks: {
    counter: 'wayleave_quota_marks_total{scope,window,mark}',
    help: 'Quotas of keys and projects that have reached a mark, in percent',
  },
  usageWaitingRows: {
    gauge: 'wayleave_usage_waiting_rows',
    across: 'sum',
    help: 'Rows of usage that wait in memory for the store',
  },
  usageDroppedCalls: {
    counter: 'wayleave_usage_dropped_calls_total',
    help: 'Calls whose usage was lost, as neither disk nor memory had room for it',
  },
  budgetRefusals: {
    counter: 'wayleave_budget_refusals_total{budget,project}',
    help: 'What projects were refused for want of a budget, by the name of the limit',
  },
  heldBytes: {
    gauge: 'wayleave_held_bytes',
    across: 'sum',
    help: 'Bytes that callers make the process hold; the bound is limits.maxHeldBytes, wayleave_max_held_bytes',
  },
  maxHeldBytes: {
    gauge: 'wayleave_max_held_bytes',
    across: 'sum',
    help: 'Most bytes that callers may make the process hold',
  },
  heldRatio: {
    gauge: 'wayleave_held_ratio',
    across: 'max',
    help: 'Part of limits.maxHeldBytes that callers make the process hold, 0 to 1; of several processes, that of the fullest one',
  },
  logDroppedLines: {
    counter: 'wayleave_log_dropped_lines_total',
    help: 'Lines of the log that were lost, as nobody read them in time',
  },
  droppedSpans: {
    counter: 'wayleave_dropped_spans_total',
    help: 'Spans of traces that were given up, as no collector took them in time',
  },
} as const
