import { describe, expect, it } from 'vitest'
import { createProjectLabels } from '../../src/telemetry/project-label.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { walkDay } from '../admin/project-day.ts'

describe('labels of projects', () => {
  it('are their own for the listed and for the first others', () => {
    const labels = createProjectLabels(2)
    labels.list(['listed'])
    expect(['a', 'b', 'c', 'listed', 'a'].map(labels.of)).toEqual(['a', 'b', 'other', 'listed', 'a'])
  })

  it('stay when a project leaves the list', () => {
    const labels = createProjectLabels(0)
    labels.list(['one'])
    labels.list(['two'])
    expect(['one', 'two', 'three'].map(labels.of)).toEqual(['one', 'two', 'other'])
  })
})

it('over a day of 40 projects, some listed and some of a store, with room for 20, no series changes its project', async () => {
  const metrics = createMetrics({ labels: createProjectLabels(20) })
  await walkDay({ at: () => metrics, list: metrics.listProjects, print: async () => metrics.print() })
})
