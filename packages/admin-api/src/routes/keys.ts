import { type Author, hintOf } from '@wayleave/auth'
import { invalid, notFound } from '../error.ts'
import {
  createdKey,
  type CreatedKey,
  key,
  type Key,
  keyPage,
  keyPatch,
  newKey,
  type NewKey,
  viewConfiguredKey,
  viewKey,
} from '../model/key.ts'
import { pageQuery } from '../model/page.ts'
import type { ConfiguredProject, KeyRecord } from '../ports.ts'
import { changesOf, keyToChange, listBoth, type RouteContext, withPlan } from './context.ts'
import { givenKeyIssues, partsOf } from '../key-text.ts'
import { type Route, route } from './route.ts'

export function keyRoutes(context: RouteContext): readonly Route[] {
  const { accounts, configured } = context

  /** Views keys with their last uses. */
  async function viewAll(kept: readonly KeyRecord[]): Promise<readonly Key[]> {
    const uses = await accounts.lastUsed(kept.map(({ id }) => id))
    return kept.map((record) => viewKey(record, uses.get(record.id)))
  }

  async function viewOne(kept: KeyRecord): Promise<Key> {
    return (await viewAll([kept]))[0]!
  }

  return [
    route({
      method: 'GET',
      path: '/projects/{project}/keys',
      summary: 'List the keys of a project',
      scopes: ['read', 'accounts'],
      query: pageQuery,
      result: keyPage,
      async run({ params, query }) {
        const project = params['project']!
        const fixed = configured.projects.get(project)
        if (fixed === undefined && (await accounts.project(project)) === undefined) {
          throw notFound(`project "${project}"`)
        }
        return listBoth(query, configuredKeys(fixed), (page) => accounts.keys(project, page), viewAll)
      },
    }),
    route({
      method: 'POST',
      path: '/projects/{project}/keys',
      summary: 'Create a key; its text is in this answer, and in no other',
      scopes: ['accounts'],
      body: newKey,
      result: createdKey,
      status: 201,
      run: ({ params, body, by }) => createKey(context, params['project']!, body, by),
    }),
    route({
      method: 'GET',
      path: '/projects/{project}/keys/{key}',
      summary: 'Get a key, without its text',
      scopes: ['read', 'accounts'],
      result: key,
      async run({ params }) {
        const [project, id] = [params['project']!, params['key']!]
        const fixed = configuredKeys(configured.projects.get(project)).find(([own]) => own === id)
        if (fixed !== undefined) return fixed[1]
        const kept = await accounts.key(id)
        if (kept?.projectId !== project) throw notFound(`key "${id}" of project "${project}"`)
        return viewOne(kept)
      },
    }),
    route({
      method: 'PATCH',
      path: '/projects/{project}/keys/{key}',
      summary: 'Change members of a key, limits as a whole; null takes one away',
      scopes: ['accounts'],
      body: keyPatch,
      result: key,
      async run({ params, body, by }) {
        const { id } = await keyToChange(context, params['project']!, params['key']!)
        const changed = accounts.updateKey(id, changesOf(body), by)
        const isThere = async (): Promise<boolean> => (await accounts.key(id)) !== undefined
        return viewOne(await withPlan(body.plan, changed, isThere))
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/{project}/keys/{key}',
      summary: 'Revoke a key: it is gone for good once this is answered',
      scopes: ['accounts'],
      async run({ params, by }) {
        const { id } = await keyToChange(context, params['project']!, params['key']!)
        await accounts.removeKey(id, by)
      },
    }),
  ]
}

/** Creates a key. A new one's text is in the result; one that came is not. */
export async function createKey(
  context: RouteContext,
  project: string,
  { id = context.newId(), form, key: given, keyHash, hint, ...fields }: NewKey,
  by: Author,
): Promise<CreatedKey> {
  const { accounts, configured, sha256 } = context
  const source = {
    ...(given !== undefined && { key: given }),
    ...(keyHash !== undefined && { keyHash }),
    ...(hint !== undefined && { hint }),
  }
  const isGiven = given !== undefined || keyHash !== undefined
  const issues = [...givenKeyIssues(source, '')]
  if (isGiven && form !== undefined) issues.push({ path: 'form', message: 'expected none: a key of elsewhere came' })
  if (issues.length > 0) throw invalid(issues)
  configured.refuse('project', project)
  configured.refuse('key', id)
  const made = isGiven ? undefined : context.newKey(form ?? 'wayleave')
  const parts = made === undefined ? partsOf(source, sha256) : { digest: sha256(made), hint: hintOf(made) }
  configured.refuseDigest(parts.digest)
  const created = accounts.createKey({ id, projectId: project, ...parts, ...fields }, by)
  const isThere = async (): Promise<boolean> => (await accounts.project(project)) !== undefined
  const kept = await withPlan(fields.plan, created, isThere)
  return { ...viewKey(kept), ...(made !== undefined && { key: made }) }
}

function configuredKeys(project: ConfiguredProject | undefined): readonly (readonly [string, Key])[] {
  return (project?.keys ?? []).map((kept) => [kept.id, viewConfiguredKey(kept, project!.id)])
}
