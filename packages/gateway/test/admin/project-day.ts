import { expect } from 'vitest'
import type { Metrics } from '../../src/telemetry/metrics.ts'

/** Metrics over a day: of one process, or of several whose counts one of them prints. */
export interface DayOfMetrics {
  /** Those that count at this minute. */
  at(minute: number): Pick<Metrics, 'network'>
  /** Gives these projects labels of their own, again each hour. */
  list(projects: readonly string[]): void
  /** Prints what all have counted so far. */
  print(): Promise<string>
}

/** Reads `wayleave_project_calls_total` of results as a table. */
function countsOf(text: string): ReadonlyMap<string, number> {
  const found = text.matchAll(/^wayleave_project_calls_total\{project="([^"]+)",outcome="ok"\} (\d+)$/gm)
  return new Map([...found].map(([, project, count]) => [project!, Number(count)]))
}

/**
 * Walks through a day of 40 projects, ten of them listed, with room for 20 others: at each minute one calls, and exactly one series grows, by its
 * calls, always the same one for a project.
 */
export async function walkDay({ at, list, print }: DayOfMetrics): Promise<void> {
  const listed = Array.from({ length: 10 }, (_, i) => `listed-${i}`)
  const stored = Array.from({ length: 30 }, (_, i) => `stored-${i}`)
  const all = [...stored, ...listed]
  /** The calls of each project, and the labels under which they were seen. */
  const called = new Map<string, number>()
  const labelsOf = new Map<string, Set<string>>()
  list(listed)
  let before = countsOf(await print())
  // A scrape every minute; each project calls at hours of its own, in an order that changes.
  for (let minute = 0; minute < 1_440; minute++) {
    const hour = Math.floor(minute / 60)
    const project = all[(minute * 7 + hour) % all.length]!
    if ((hour + all.indexOf(project)) % 3 === 0) continue
    const calls = (minute % 5) + 1
    const mainnet = at(minute).network('mainnet')
    for (let i = 0; i < calls; i++) mainnet.called({ project, class: 'read', outcome: 'ok', status: 200, ms: 3 })
    called.set(project, (called.get(project) ?? 0) + calls)
    // A reload that lists the same projects changes nothing.
    if (minute % 60 === 0) list(listed)
    const after = countsOf(await print())
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
}
