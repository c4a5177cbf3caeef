/** Projects that are told apart; a store may hold any number. */
const mostProjects = 1_000

/** Makes the label of projects in one metric: their names; of those beyond the first 1,000, `other`. */
export function createProjectLabel(): (project: string) => string {
  const told = new Set<string>()
  return (project) => {
    if (told.has(project)) return project
    if (told.size >= mostProjects) return 'other'
    told.add(project)
    return project
  }
}
