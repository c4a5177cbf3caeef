import type { Registry } from './registry.ts'

export interface LogMetrics {
  /** Prints the lines that this log lost from now on, too. */
  watchLog(log: { droppedLines(): number }): void
}

/** Creates the metrics of the log. */
export function createLogMetrics(registry: Registry): LogMetrics {
  const lostLines = registry.counter({
    name: 'wayleave_log_dropped_lines_total',
    help: 'Lines of the log that were lost, as nobody read them in time',
  })()
  return {
    watchLog(log) {
      let counted = 0
      registry.beforePrint(() => {
        const lost = log.droppedLines()
        lostLines.add(lost - counted)
        counted = lost
      })
    },
  }
}
