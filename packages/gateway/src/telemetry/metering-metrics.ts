import type { ProjectLabels } from './project-label.ts'
import type { Registry } from './registry.ts'

/** The counts of limits and usage. */
export interface MeteringMetrics {
  /** Counts a call or a request that a limit refused, by its project and the window of the limit. */
  limited(project: string, window: string): void
  /** Counts what a project was refused for want of a budget: a limit of the process, by its name in `limits`. */
  budgetRefused(budget: string, project: string): void
  /** Prints the bytes that callers make the process hold from now on, too. */
  watchHeldBytes(budget: { readonly held: number; readonly capacity: number }): void
  /** Counts a quota that has reached a mark, in percent. */
  quotaMarked(scope: string, window: string, mark: number): void
  /** Prints the state of usage from now on, too. */
  watchUsage(usage: { readonly waitingRows: number; readonly droppedCalls: number }): void
}

/** Creates the metrics of limits and usage. */
export function createMeteringMetrics(registry: Registry, labels: ProjectLabels): MeteringMetrics {
  const limitations = registry.counter({
    name: 'wayleave_limited_total',
    help: 'Calls and requests that a limit of their key or project refused, by the window of the limit',
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
  const budgetRefusals = registry.counter({
    name: 'wayleave_budget_refusals_total',
    help: 'What projects were refused for want of a budget, by the name of the limit',
    labels: ['budget', 'project'],
  })
  const heldBytes = registry.gauge({
    name: 'wayleave_held_bytes',
    help: 'Bytes that callers make the process hold; the bound is limits.maxHeldBytes, wayleave_max_held_bytes',
  })
  const maxHeldBytes = registry.gauge({
    name: 'wayleave_max_held_bytes',
    help: 'Most bytes that callers may make the process hold',
  })
  const heldRatio = registry.gauge({
    name: 'wayleave_held_ratio',
    help: 'Part of limits.maxHeldBytes that callers make the process hold, 0 to 1; of several processes, that of the fullest one',
    across: 'max',
  })
  return {
    limited: (project, window) => labels.whenKnown(project, (label) => limitations(label, window).add()),
    budgetRefused: (budget, project) => labels.whenKnown(project, (label) => budgetRefusals(budget, label).add()),
    watchHeldBytes(budget) {
      const [held, most, ratio] = [heldBytes(), maxHeldBytes(), heldRatio()]
      registry.beforePrint(() => {
        held.set(budget.held)
        most.set(budget.capacity)
        ratio.set(budget.held / budget.capacity)
      })
    },
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
