import { createMethodTable, type MethodTable } from '@wayleave/upstream'
import { msOf, type TimeoutsConfig } from '@wayleave/network/config'
import type { Config } from './config.ts'
import type { Limits } from './limits.ts'

/** Longest waits for answers to begin, of one project at one network, in ms. */
export interface CallTimeouts {
  /** The longest of all: that of a batch. */
  readonly longestMs: number
  /** The wait of a method where it is shorter; undefined: the longest. */
  of(method: string): number | undefined
}

export interface Timeouts {
  /** The longest wait of anybody, in ms. */
  readonly longestMs: number
  /** The waits of a project, by its id, at a network. */
  at(network: string, project: string): CallTimeouts
}

/** The named waits of one network or one project. */
interface NamedTimeouts {
  readonly find: MethodTable<number>
  readonly longestMs: number
  /** Whether it has one for every method. */
  readonly isWhole: boolean
}

/**
 * Reads the waits of a configuration: a project's go before its network's, a name before a prefix before `default`, and
 * `limits.requestTimeoutMs` holds for methods that have none.
 */
export function createTimeouts(
  { networks, projects = [] }: Pick<Config, 'networks' | 'projects'>,
  { requestTimeoutMs }: Pick<Limits, 'requestTimeoutMs'>,
): Timeouts {
  const ofNetwork = readAll(Object.entries(networks))
  const ofProject = readAll(projects.map((project) => [project.id ?? project.name, project]))
  const usual: CallTimeouts = { longestMs: requestTimeoutMs, of: () => undefined }
  const known = new Map<NamedTimeouts | undefined, Map<NamedTimeouts | undefined, CallTimeouts>>()

  function compose(network: NamedTimeouts | undefined, project: NamedTimeouts | undefined): CallTimeouts {
    let named = project === undefined ? [] : [project]
    if (network !== undefined && project?.isWhole !== true) named = [...named, network]
    const all = named.map(({ longestMs }) => longestMs)
    const longestMs = Math.max(...all, ...(named.some(({ isWhole }) => isWhole) ? [] : [requestTimeoutMs]))
    const find = (method: string): number => project?.find(method) ?? network?.find(method) ?? requestTimeoutMs
    return {
      longestMs,
      of(method) {
        const ms = find(method)
        return ms < longestMs ? ms : undefined
      },
    }
  }

  return {
    longestMs: Math.max(
      requestTimeoutMs,
      ...[...ofNetwork.values(), ...ofProject.values()].map(({ longestMs }) => longestMs),
    ),
    at(networkName, projectId) {
      const network = ofNetwork.get(networkName)
      const project = ofProject.get(projectId)
      if (network === undefined && project === undefined) return usual
      let ofThese = known.get(network)
      if (ofThese === undefined) known.set(network, (ofThese = new Map()))
      let composed = ofThese.get(project)
      if (composed === undefined) ofThese.set(project, (composed = compose(network, project)))
      return composed
    },
  }
}

function readAll(
  entries: readonly (readonly [name: string, { readonly timeouts?: TimeoutsConfig }])[],
): ReadonlyMap<string, NamedTimeouts> {
  return new Map(
    entries.flatMap(([name, { timeouts }]) => {
      const named = timeouts && readOne(timeouts)
      return named === undefined ? [] : [[name, named] as const]
    }),
  )
}

function readOne({ default: usual, byMethod = {} }: TimeoutsConfig): NamedTimeouts | undefined {
  const entries = Object.entries({ ...byMethod, ...(usual !== undefined && { '*': usual }) })
  if (entries.length === 0) return undefined
  const ms = entries.map(([pattern, value]) => [pattern, msOf(value)] as const)
  return {
    find: createMethodTable(Object.fromEntries(ms)),
    longestMs: Math.max(...ms.map(([, each]) => each)),
    isWhole: usual !== undefined,
  }
}
