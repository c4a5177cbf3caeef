import { type GivenLabels, otherProjects, type ProjectLabels } from '../telemetry/project-label.ts'
import type { Channel } from './channel.ts'

/** The label of a project as the primary gives it. */
interface LabelAnswer {
  readonly label: string
  /** All projects with labels of their own, once no more are given; then nobody needs to ask. */
  readonly all: readonly string[] | undefined
}

/** Most counts that wait for labels; those beyond are of `other`. */
const mostWaiting = 1_000

/** Gives a worker the labels of projects, so that each project has the same one in all processes. */
export function serveLabels(channel: Channel, labels: GivenLabels): void {
  channel.serve('labels.of', (project): LabelAnswer => {
    const label = labels.of(project as string)
    return { label, all: labels.isFull ? labels.all() : undefined }
  })
}

/**
 * Makes the labels of a worker: it asks the primary for each project once, and for none any more as soon as all labels are given. What is counted
 * until the answer comes waits, so that no project is first in one series and then in another.
 */
export function workerLabels(channel: Pick<Channel, 'ask'>): ProjectLabels {
  const own = new Set<string>()
  const waiting = new Map<string, ((label: string) => void)[]>()
  let waitingCounts = 0
  let isFull = false

  const of = (project: string): string | undefined => (own.has(project) ? project : isFull ? otherProjects : undefined)

  async function ask(project: string): Promise<void> {
    let label = otherProjects
    try {
      const answer = (await channel.ask('labels.of', project)) as LabelAnswer
      label = answer.label
      if (label === project) own.add(project)
      for (const each of answer.all ?? []) own.add(each)
      isFull ||= answer.all !== undefined
    } finally {
      const counts = waiting.get(project) ?? []
      waiting.delete(project)
      waitingCounts -= counts.length
      for (const count of counts) count(label)
    }
  }

  return {
    of,
    whenKnown(project, count) {
      const known = of(project)
      if (known !== undefined) return count(known)
      if (waitingCounts >= mostWaiting) return count(otherProjects)
      waitingCounts++
      const before = waiting.get(project)
      if (before !== undefined) return void before.push(count)
      waiting.set(project, [count])
      // Without a primary this process ends, and its counts with it.
      ask(project).catch(() => {})
    },
    list(projects) {
      for (const project of projects) own.add(project)
    },
  }
}
