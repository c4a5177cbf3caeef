import { notFound } from '../error.ts'
import { pageQuery } from '../model/page.ts'
import { newProject, project, projectPage, projectPatch, viewProject } from '../model/project.ts'
import { changesOf, listBoth, projectToChange, type RouteContext, withPlan } from './context.ts'
import { type Route, route } from './route.ts'

export function projectRoutes(context: RouteContext): readonly Route[] {
  const { accounts, configured, newId } = context
  return [
    route({
      method: 'GET',
      path: '/projects',
      summary: 'List projects: those of the configuration, then those of the store',
      scopes: ['read', 'accounts'],
      query: pageQuery,
      result: projectPage,
      run: ({ query }) =>
        listBoth(
          query,
          Array.from(configured.projects, ([id, kept]) => [id, viewProject(kept, 'config')] as const),
          (page) => accounts.projects(page),
          (kept) => kept.map((record) => viewProject(record, 'store')),
        ),
    }),
    route({
      method: 'POST',
      path: '/projects',
      summary: 'Create a project',
      scopes: ['accounts'],
      body: newProject,
      result: project,
      status: 201,
      async run({ body: { id = newId(), ...fields }, by }) {
        configured.refuse('project', id)
        const made = accounts.createProject({ id, ...fields }, by)
        return viewProject(await withPlan(fields.plan, made, async () => true), 'store')
      },
    }),
    route({
      method: 'GET',
      path: '/projects/{project}',
      summary: 'Get a project',
      scopes: ['read', 'accounts'],
      result: project,
      async run({ params }) {
        const id = params['project']!
        const fixed = configured.projects.get(id)
        if (fixed !== undefined) return viewProject(fixed, 'config')
        const kept = await accounts.project(id)
        if (kept === undefined) throw notFound(`project "${id}"`)
        return viewProject(kept, 'store')
      },
    }),
    route({
      method: 'PATCH',
      path: '/projects/{project}',
      summary: 'Change members of a project, rules and limits as a whole; null takes one away',
      scopes: ['accounts'],
      body: projectPatch,
      result: project,
      async run({ params, body, by }) {
        const id = params['project']!
        configured.refuse('project', id)
        const changed = accounts.updateProject(id, changesOf(body), by)
        const isThere = async (): Promise<boolean> => (await accounts.project(id)) !== undefined
        return viewProject(await withPlan(body.plan, changed, isThere), 'store')
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/{project}',
      summary: 'Remove a project with its keys; its id is not given again',
      scopes: ['accounts'],
      async run({ params, by }) {
        const { id } = await projectToChange(context, params['project']!)
        await accounts.removeProject(id, by)
      },
    }),
  ]
}
