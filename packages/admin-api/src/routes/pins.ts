import { AdminError, notFound } from '../error.ts'
import { defaultLimit } from '../model/page.ts'
import { pinPage, pinQuery, viewPin } from '../model/pin.ts'
import type { RouteContext } from './context.ts'
import { type Route, route } from './route.ts'

export function pinRoutes({ accounts, configured, pins }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/ipfs/{project}/pins',
      summary: 'List the pins of a project on IPFS, by CID',
      scopes: ['read', 'ipfs'],
      query: pinQuery,
      result: pinPage,
      async run({ params, query: { after, limit = defaultLimit } }) {
        const project = params['project']!
        if (pins === undefined)
          throw new AdminError('unavailable', 'no IPFS is served here: `ipfs` of the configuration')
        if (!configured.projects.has(project) && (await accounts.project(project)) === undefined) {
          throw notFound(`project "${project}"`)
        }
        const found = await pins.list(project, { after, limit })
        const items = found.map(viewPin)
        return found.length < limit ? { items } : { items, next: found.at(-1)!.cid }
      },
    }),
  ]
}
