import { notFound } from '../error.ts'
import { networkFamilies } from '../method-port.ts'
import { openRpc } from '../model/methods.ts'
import { type RouteContext, served } from './context.ts'
import { type Route, route } from './route.ts'

/** The route of the methods of networks. */
export function methodRoutes({ methods }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/openrpc/{kind}',
      summary: 'Get the methods of a kind of networks, as an OpenRPC document',
      scopes: [],
      result: openRpc,
      run({ params }) {
        const kind = networkFamilies.find((each) => each === params['kind'])
        if (kind === undefined) throw notFound(`such kind: ${networkFamilies.join(', ')} are known`)
        return served(methods, 'methods').openRpc(kind)
      },
    }),
  ]
}
