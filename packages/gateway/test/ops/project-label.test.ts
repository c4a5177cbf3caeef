import { describe, expect, it } from 'vitest'
import { createProjectLabels } from '../../src/ops/project-label.ts'
import { createMetrics } from '../../src/ops/metrics.ts'

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

/** Reads `wayleave_project_calls_total` of results as a table. */
function countsOf(text: string): ReadonlyMap<string, number> {
  const found = text.matchAll(/^wayleave_project_calls_total\{project="([^"]+)",outcome="ok"\} (\d+)$/gm)
  return new Map([...found].map(([, project, count]) => [project!, Number(count)]))
}

it('over a day of 40 projects, some listed and some of a store, with room for 20, no series changes its project', () => {
  const metrics = createMetrics({ maxProjects: 20 })
  const listed = Array.from({ length: 10 }, (_, i) => `listed-${i}`)
  const stored = Array.from({ length: 30 }, (_, i) => `stored-${i}`)
  metrics.listProjects(listed)
  const mainnet = metrics.network('mainnet')
  /** The calls of each project, and the labels under which they were seen. */
  const called = new Map<string, number>()
  const labelsOf = new Map<string, Set<string>>()
  let before = countsOf(metrics.print())
  // A scrape every minute; each project calls at hours of its own, in an order that changes.
  for (let step = 0; step < 1_440; step++) {
    const hour = Math.floor(step / 60)
    const all = [...stored, ...listed]
    const project = all[(step * 7 + hour) % all.length]!
    if ((hour + all.indexOf(project)) % 3 === 0) continue
    const calls = (step % 5) + 1
    for (let i = 0; i < calls; i++) mainnet.called({ project, class: 'read', outcome: 'ok', status: 200, ms: 3 })
    called.set(project, (called.get(project) ?? 0) + calls)
    // A reload that lists the same projects changes nothing.
    if (step % 60 === 0) metrics.listProjects(listed)
    const after = countsOf(metrics.print())
    const grown = [...after].filter(([label, count]) => count !== (before.get(label) ?? 0))
    expect(grown.map(([label, count]) => [label, count - (before.get(label) ?? 0)])).toEqual([[grown[0]![0], calls]])
    labelsOf.set(project, (labelsOf.get(project) ?? new Set()).add(grown[0]![0]))
    for (const label of before.keys()) expect(after.has(label)).toBe(true)
    before = after
  }
  expect(called.size).toBe(40)
  for (const [project, labels] of labelsOf) expect([...labels], project).toHaveLength(1)
  for (const project of listed) expect(before.get(project), project).toBe(called.get(project))
  expect(before.size).toBe(31)
  const others = stored.filter((project) => labelsOf.get(project)!.has('other'))
  expect(others).toHaveLength(10)
  expect(before.get('other')).toBe(others.reduce((sum, project) => sum + called.get(project)!, 0))
})
