import { createProjectLabel } from './project-label.ts'
import type { Registry } from './registry.ts'

/** The counts of limits and usage. */
export interface MeteringMetrics {
  /** Counts a call or a request that a limit refused, by its project and the window of the limit. */
  limited(project: string, window: string): void
  /** Counts a quota that has reached a mark, in percent. */
  quotaMarked(scope: string, window: string, mark: number): void
  /** Prints the state of usage from now on, too. */
  watchUsage(usage: { readonly waitingRows: number; readonly droppedCalls: number }): void
}

/** Creates the metrics of limits and usage. */
export function createMeteringMetrics(registry: Registry): MeteringMetrics {
  const limitations = registry.counter({
    name: 'wayleave_limited_total',
    help: 'Calls and requests that a limit of their key or project refused, by the window of the limit; beyond 1,000 projects, project is other',
    labels: ['project', 'window'],
  })
  const marks = registry.counter({
    name: 'wayleave_quota_marks_total',
    help: 'Quotas of keys and projects that have reached a mark, in percent',
    labels: ['scope', 'window', 'mark'],
  })
  const waitingRows = registry.gauge({
    name: 'wayleave_usage_waiting_rows',
    help: 'Rows of usage that wait in memory for the store',
  })
  const droppedCalls = registry.counter({
    name: 'wayleave_usage_dropped_calls_total',
    help: 'Calls whose usage was lost, as neither disk nor memory had room for it',
  })
  const labelOf = createProjectLabel()
  return {
    limited: (project, window) => limitations(labelOf(project), window).add(),
    quotaMarked: (scope, window, mark) => marks(scope, window, String(mark)).add(),
    watchUsage(usage) {
      const waiting = waitingRows()
      const dropped = droppedCalls()
      let counted = 0
      registry.beforePrint(() => {
        waiting.set(usage.waitingRows)
        dropped.add(usage.droppedCalls - counted)
        counted = usage.droppedCalls
      })
    },
  }
}
