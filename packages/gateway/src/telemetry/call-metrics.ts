import type { CallClass } from '@wayleave/network'
import type { Counter, Histogram } from '@wayleave/telemetry'
import type { CallOutcome } from './call-labels.ts'
import type { ProjectLabels } from './project-label.ts'
import type { MetricFamilies } from './families.ts'

/** A call that was answered or not, as far as metrics tell calls apart. */
export interface CountedCall {
  readonly project: string
  readonly class: CallClass
  readonly outcome: CallOutcome
  /** The HTTP status that it has alone; 499 for a caller who left. */
  readonly status: number
  /** Time to the beginning of its answer. */
  readonly ms: number
}

export interface CallMetrics {
  /** Counts a call of a network, also one of a batch or over a WebSocket. */
  called(network: string, call: CountedCall): void
  /** Counts a network from the beginning, if it comes again. */
  forgetCalls(network: string): void
}

/** The counts of one project. */
interface ProjectCalls {
  readonly seconds: Histogram
  /** The usual outcome, which is found without a look-up. */
  ok: Counter | undefined
  readonly others: Map<string, Counter>
}

/** The counts of one class of methods, by outcome and status. */
interface ClassCalls {
  ok: StatusCalls | undefined
  readonly others: Map<string, StatusCalls>
}

interface StatusCalls {
  readonly count: Counter
  readonly seconds: Histogram
}

/** Groups statuses, since each one would have 17 series of times: `2xx`. */
const groupOf = (status: number): string => `${Math.floor(status / 100)}xx`

/** Creates the counts of calls. */
export function createCallMetrics(
  families: Pick<MetricFamilies, 'calls' | 'callSeconds' | 'projectCalls' | 'projectCallSeconds'>,
  labels: ProjectLabels,
): CallMetrics {
  const { calls, callSeconds, projectCalls, projectCallSeconds } = families
  const networks = new Map<string, Map<CallClass, ClassCalls>>()
  const projects = new Map<string, ProjectCalls>()

  function classOf(network: string, name: CallClass): ClassCalls {
    let classes = networks.get(network)
    if (classes === undefined) networks.set(network, (classes = new Map()))
    let found = classes.get(name)
    if (found === undefined) classes.set(name, (found = { ok: undefined, others: new Map() }))
    return found
  }

  const statusOf = (network: string, { class: name, outcome, status }: CountedCall): StatusCalls => ({
    count: calls(network, name, outcome, String(status)),
    seconds: callSeconds(network, name, groupOf(status)),
  })

  /** By label, so that a store of any number of projects takes no room here. */
  function projectOf(label: string): ProjectCalls {
    let found = projects.get(label)
    if (found === undefined) {
      projects.set(label, (found = { seconds: projectCallSeconds(label), ok: undefined, others: new Map() }))
    }
    return found
  }

  function countOf(label: string, { outcome, ms }: CountedCall): void {
    const project = projectOf(label)
    project.seconds.observe(ms / 1_000)
    if (outcome === 'ok') return (project.ok ??= projectCalls(label, outcome)).add()
    let counter = project.others.get(outcome)
    if (counter === undefined) project.others.set(outcome, (counter = projectCalls(label, outcome)))
    counter.add()
  }

  return {
    called(network, call) {
      const { project, class: name, outcome, status, ms } = call
      const label = projects.has(project) ? project : labels.of(project)
      if (label === undefined) labels.whenKnown(project, (reported) => countOf(reported, call))
      else countOf(label, call)
      const own = networks.get(network)?.get(name) ?? classOf(network, name)
      let counted = own.ok
      if (outcome !== 'ok') {
        const key = `${outcome} ${status}`
        counted = own.others.get(key)
        if (counted === undefined) own.others.set(key, (counted = statusOf(network, call)))
      } else if (counted === undefined) {
        counted = own.ok = statusOf(network, call)
      }
      counted.count.add()
      counted.seconds.observe(ms / 1_000)
    },
    forgetCalls: (network) => void networks.delete(network),
  }
}
