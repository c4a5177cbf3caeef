import { notFound } from '../error.ts'
import { gasHistory, gasList } from '../model/gas.ts'
import { type RouteContext, served } from './context.ts'
import { type Route, route } from './route.ts'

/** The routes of gas fees. */
export function gasRoutes({ gas }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/gas',
      summary: 'List the gas fees that are followed, and how their promises were kept',
      scopes: ['read', 'networks'],
      result: gasList,
      run: async () => ({ items: await served(gas, 'gas fees').list() }),
    }),
    route({
      method: 'GET',
      path: '/gas/{network}',
      summary: 'Get the gas fees of a network with its last blocks',
      scopes: ['read', 'networks'],
      result: gasHistory,
      async run({ params }) {
        const name = params['network']!
        const found = await served(gas, 'gas fees').find(name)
        if (found === undefined) throw notFound(`network "${name}" whose gas fees somebody asked for lately`)
        return found
      },
    }),
  ]
}
