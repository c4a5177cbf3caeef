import { parseJwtKey } from '@wayleave/auth'
import { jwtKey, newJwtKey, viewJwtKey } from '../model/project.ts'
import { projectToChange, type RouteContext } from './context.ts'
import { type Route, route } from './route.ts'

/** The routes of the public keys that verify a project's JWTs. */
export function jwtKeyRoutes(context: RouteContext): readonly Route[] {
  const { accounts, configured } = context
  return [
    route({
      method: 'POST',
      path: '/projects/{project}/jwt-keys',
      summary: 'Add a public key; a project has three at most',
      scopes: ['accounts'],
      body: newJwtKey,
      result: jwtKey,
      status: 201,
      async run({ params, body, by }) {
        const id = params['project']!
        configured.refuse('project', id)
        const { kid } = parseJwtKey(body)
        const { jwtKeys } = await accounts.addJwtKey(id, { ...body, kid }, by)
        return viewJwtKey(jwtKeys.find((key) => key.kid === kid)!)
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/{project}/jwt-keys/{kid}',
      summary: 'Remove a public key: its tokens are refused from then on',
      scopes: ['accounts'],
      async run({ params, by }) {
        const { id } = await projectToChange(context, params['project']!)
        await accounts.removeJwtKey(id, params['kid']!, by)
      },
    }),
  ]
}
