/** Projects that no configuration lists and that are told apart all the same, if nothing else is said. */
export const usualProjects = 100

/** The labels of projects, the same in each metric. One that a project has had stays the project's until the process ends. */
export interface ProjectLabels {
  /** The label of a project: its id, or `other`; undefined while another process has not told it. */
  of(project: string): string | undefined
  /** Calls `count` with the label of a project once it is known, which mostly is at once. */
  whenKnown(project: string, count: (label: string) => void): void
  /** Gives projects of a configuration labels of their own, for good. */
  list(projects: Iterable<string>): void
}

/** The labels that this process gives, always known. */
export interface GivenLabels extends ProjectLabels {
  of(project: string): string
  /** Whether all later projects are `other`. */
  readonly isFull: boolean
  /** The projects that have their own. */
  all(): readonly string[]
}

/** The label of all projects that have none of their own. */
export const otherProjects = 'other'

/**
 * Creates {@link GivenLabels}. Projects that are listed always have their own; of all others, which a store may hold any number of, the first
 * `most` that call. Who came later is `other` until the process ends, so that no series ever speaks for another project than before.
 */
export function createProjectLabels(most: number = usualProjects): GivenLabels {
  const listed = new Set<string>()
  const others = new Set<string>()

  function of(project: string): string {
    if (listed.has(project) || others.has(project)) return project
    if (others.size >= most) return otherProjects
    others.add(project)
    return project
  }

  return {
    of,
    whenKnown: (project, count) => count(of(project)),
    list(projects) {
      for (const project of projects) listed.add(project)
    },
    get isFull() {
      return others.size >= most
    },
    all: () => [...new Set([...listed, ...others])],
  }
}
