import type { CallClass, CallOutcome } from './call-labels.ts'
import type { ProjectLabels } from './project-label.ts'
import type { Counter, Histogram, Registry } from './registry.ts'

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

/** Upper bounds of the time to an answer, in seconds: from one in memory, or of a node beside the gateway, to the longest wait. */
export const answerSeconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
/** The same for a project, of which there are many. */
const projectSeconds = [0.01, 0.05, 0.25, 1, 5]

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

/** Creates the metrics of calls. */
export function createCallMetrics(registry: Registry, labels: ProjectLabels): CallMetrics {
  const calls = registry.counter({
    name: 'wayleave_calls_total',
    help: 'Calls of callers, each of a batch and of a WebSocket as one, by the class of their method, their outcome and the HTTP status that they have alone (499: the caller left). Availability counts the outcomes upstream and gateway as bad; execution is an error that a node gave as the answer, such as a revert; caller is a call that nobody could serve; limited met a limit of its key, its project or the process',
    labels: ['network', 'class', 'outcome', 'status'],
  })
  const seconds = registry.histogram({
    name: 'wayleave_call_seconds',
    help: 'Time from a call of a caller to the beginning of its answer, by the class of its method and the group of the HTTP status that it has alone: 2xx, 4xx (the caller left, a limit) or 5xx',
    labels: ['network', 'class', 'status'],
    buckets: answerSeconds,
  })
  const projectCalls = registry.counter({
    name: 'wayleave_project_calls_total',
    help: 'Calls of callers by project and outcome. Projects of the configuration and the first metrics.maxProjects others have labels of their own until the process ends; all others are other',
    labels: ['project', 'outcome'],
  })
  const projectTimes = registry.histogram({
    name: 'wayleave_project_call_seconds',
    help: 'Time from a call of a project to the beginning of its answer',
    labels: ['project'],
    buckets: projectSeconds,
  })
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
    seconds: seconds(network, name, groupOf(status)),
  })

  /** By label, so that a store of any number of projects takes no room here. */
  function projectOf(label: string): ProjectCalls {
    let found = projects.get(label)
    if (found === undefined) {
      projects.set(label, (found = { seconds: projectTimes(label), ok: undefined, others: new Map() }))
    }
    return found
  }

  function countOf(label: string, { outcome, ms }: CountedCall): void {
    const his = projectOf(label)
    his.seconds.observe(ms / 1_000)
    if (outcome === 'ok') return (his.ok ??= projectCalls(label, outcome)).add()
    let counter = his.others.get(outcome)
    if (counter === undefined) his.others.set(outcome, (counter = projectCalls(label, outcome)))
    counter.add()
  }

  return {
    called(network, call) {
      const { project, class: name, outcome, status, ms } = call
      const label = projects.has(project) ? project : labels.of(project)
      if (label === undefined) labels.whenKnown(project, (told) => countOf(told, call))
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
