import type { JSX } from 'preact'
import { query } from '../router.ts'
import { PlanList } from './accounts/plan-list.tsx'
import { ProjectList } from './accounts/project-list.tsx'
import { ProjectPage } from './accounts/project-page.tsx'

/** The pages of accounts: projects and plans, and one project. */
export function ProjectsPage(): JSX.Element {
  const project = query.value.get('project')
  if (project !== null) return <ProjectPage key={project} id={project} />
  return query.value.get('view') === 'plans' ? <PlanList /> : <ProjectList />
}
