/** Projects that no configuration lists and that are told apart all the same, if nothing else is said. */
export const usualProjects = 100

/** The labels of projects, the same in each metric. One that a project has had stays his until the process ends. */
export interface ProjectLabels {
  /** The label of a project: its id, or `other`. */
  of(project: string): string
  /** Gives projects of a configuration labels of their own, for good. */
  list(projects: Iterable<string>): void
}

/** The label of all projects that have none of their own. */
const rest = 'other'

/**
 * Creates {@link ProjectLabels}. Projects that are listed always have their own; of all others, which a store may hold any number of, the first
 * `most` that call. Who came later is `other` until the process ends, so that no series ever speaks for another project than before.
 */
export function createProjectLabels(most: number = usualProjects): ProjectLabels {
  const listed = new Set<string>()
  const others = new Set<string>()
  return {
    of(project) {
      if (listed.has(project) || others.has(project)) return project
      if (others.size >= most) return rest
      others.add(project)
      return project
    },
    list(projects) {
      for (const project of projects) listed.add(project)
    },
  }
}
