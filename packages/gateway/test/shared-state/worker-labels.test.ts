import { describe, expect, it } from 'vitest'
import { createSeriesMirror, type SeriesMirror } from '@wayleave/telemetry'
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts'
import { createProjectLabels } from '../../src/telemetry/project-label.ts'
import { serveLabels, workerLabels } from '../../src/shared-state/worker-labels.ts'
import { walkDay } from '../admin/project-day.ts'
import { channelPair } from '../workers/channel-pair.ts'
import { type GatedPair, gatedPair } from '../workers/gated-pair.ts'

/** The metrics of a primary with room for so many projects, and of two workers, each over its own channel. */
function begin(most: number) {
  const labels = createProjectLabels(most)
  const primary = createMetrics({ labels })
  const ended = createSeriesMirror()
  const workers: { metrics: Metrics; mirror: SeriesMirror }[] = []
  function start(slot: number): void {
    const pair = channelPair()
    serveLabels(pair.primary, labels)
    workers[slot] = { metrics: createMetrics({ labels: workerLabels(pair.worker) }), mirror: createSeriesMirror() }
  }
  start(0)
  start(1)
  primary.watchWorkers({
    mirrors: () => [ended, ...workers.map(({ mirror }) => mirror)],
    states: () => ({ starting: 0, serving: 2, draining: 0 }),
    restarts: () => 0,
  })
  async function print(): Promise<string> {
    // A question to the primary and its answer.
    for (let i = 0; i < 10; i++) await Promise.resolve()
    for (const { metrics, mirror } of workers) mirror.apply(structuredClone(metrics.changes()))
    return primary.print()
  }
  return {
    primary,
    workers,
    print,
    /** Ends a worker whose counts are told, and starts another one in its place. */
    replace(slot: number): void {
      ended.adopt(workers[slot]!.mirror)
      start(slot)
    },
  }
}

describe('labels of projects with workers', () => {
  it('over a day of 40 projects at two workers, one replaced each hour, no series changes its project', async () => {
    const { primary, workers, print, replace } = begin(20)
    let present: readonly string[] = []
    await walkDay({
      at(minute) {
        if (minute % 60 === 30) {
          const slot = Math.floor(minute / 60) % 2
          replace(slot)
          workers[slot]!.metrics.listProjects(present)
        }
        return workers[minute % 2]!.metrics
      },
      list(projects) {
        present = projects
        for (const metrics of [primary, ...workers.map((each) => each.metrics)]) metrics.listProjects(projects)
      },
      print,
    })
  })

  it('are kept for a project that the configuration named before the worker began', async () => {
    const { primary, workers, print } = begin(0)
    primary.listProjects(['once'])
    for (const project of ['new', 'once']) {
      workers[1]!.metrics.limited(project, 'day')
      await print()
    }
    expect(await print()).toContain('wayleave_limited_total{project="once",window="day"} 1\n')
  })
})

/** A worker over a line that can be held. */
function gated(most: number): GatedPair & { readonly labels: ReturnType<typeof workerLabels> } {
  const pair = gatedPair()
  serveLabels(pair.primary, createProjectLabels(most))
  return { ...pair, labels: workerLabels(pair.worker) }
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

describe('a worker', () => {
  it('counts nothing of a project until it is told its label, and then all', async () => {
    const { labels, hold, release } = gated(1)
    const counted: string[] = []
    hold()
    for (const project of ['a', 'a', 'b']) labels.whenKnown(project, (label) => counted.push(`${project}: ${label}`))
    await settle()
    expect([labels.of('a'), labels.of('b'), counted]).toEqual([undefined, undefined, []])
    release()
    await settle()
    expect(counted).toEqual(['a: a', 'a: a', 'b: other'])
  })

  it('asks once for a project, and for none once all labels are given', async () => {
    const { labels, sent } = gated(2)
    for (const project of ['a', 'a', 'a', 'b', 'a']) labels.whenKnown(project, () => {})
    await settle()
    expect([labels.of('a'), labels.of('b'), sent()]).toEqual(['a', 'b', 2])
    for (const project of ['c', 'd', 'c']) expect(labels.of(project)).toBe('other')
    labels.whenKnown('e', () => {})
    expect(sent()).toBe(2)
  })

  it('lets a thousand counts wait, and counts those beyond as other', async () => {
    const { labels, hold, release, sent } = gated(2_000)
    hold()
    const counted = new Map<string, number>()
    const count = (label: string): void => void counted.set(label, (counted.get(label) ?? 0) + 1)
    for (let i = 0; i < 1_003; i++) labels.whenKnown(`project-${i}`, count)
    expect([...counted]).toEqual([['other', 3]])
    release()
    await settle()
    expect([counted.size, sent()]).toEqual([1_001, 1_000])
  })
})
