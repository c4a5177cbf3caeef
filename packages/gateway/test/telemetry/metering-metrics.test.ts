import { expect, it } from 'vitest'
import { createSeriesMirror } from '@wayleave/telemetry'
import { createMetrics } from '../../src/telemetry/metrics.ts'

it('the metric of limits tells 100 projects apart that no configuration lists', () => {
  const metrics = createMetrics()
  for (let i = 0; i < 105; i++) metrics.limited(`project-${i}`, 'day')
  metrics.limited('project-7', 'second')
  const lines = metrics.print().match(/^wayleave_limited_total\{.*$/gm)!
  expect(lines).toHaveLength(102)
  expect(lines).toContain('wayleave_limited_total{project="other",window="day"} 5')
  expect(lines).toContain('wayleave_limited_total{project="project-7",window="second"} 1')
})

it('lost usage is counted once', () => {
  const metrics = createMetrics()
  const usage = { waitingRows: 2, droppedCalls: 3 }
  metrics.watchUsage(usage)
  metrics.print()
  usage.droppedCalls = 5
  const text = metrics.print()
  expect(text).toContain('\nwayleave_usage_waiting_rows 2\n')
  expect(text).toContain('\nwayleave_usage_dropped_calls_total 5\n')
})

it('of several processes, the ratio of held bytes is that of the fullest one', () => {
  const worker = createMetrics()
  worker.watchHeldBytes({ held: 95, capacity: 100 })
  const mirror = createSeriesMirror()
  mirror.apply(worker.changes())
  const primary = createMetrics()
  primary.watchHeldBytes({ held: 0, capacity: 200 })
  primary.watchWorkers({
    mirrors: () => [mirror],
    states: () => ({ starting: 0, serving: 1, draining: 0 }),
    restarts: () => 0,
  })
  expect(primary.print()).toContain('\nwayleave_held_ratio 0.95\n')
})
