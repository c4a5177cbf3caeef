import type { Author } from '@wayleave/auth'
import { notFound } from '../error.ts'
import { cordon, networks as networksSchema } from '../model/network.ts'
import { type RouteContext, served } from './context.ts'
import { type Route, route } from './route.ts'

export function networkRoutes({ networks }: RouteContext): readonly Route[] {
  async function setCordon(
    params: Readonly<Record<string, string>>,
    reason: string | undefined,
    by: Author,
  ): Promise<void> {
    const [network, upstream] = [params['network']!, params['upstream']!]
    if (await served(networks, 'networks').cordon(network, upstream, reason, by)) return
    throw notFound(`upstream "${upstream}" of network "${network}"`)
  }

  const path = '/networks/{network}/upstreams/{upstream}/cordon'
  return [
    route({
      method: 'GET',
      path: '/networks',
      summary: 'List networks and the state of their upstreams',
      scopes: ['read', 'networks'],
      result: networksSchema,
      run: async () => ({ items: await served(networks, 'networks').list() }),
    }),
    route({
      method: 'PUT',
      path,
      summary: 'Have an upstream left alone; calls on their way go on',
      scopes: ['networks'],
      body: cordon,
      run: ({ params, body: { reason = 'no reason was given' }, by }) => setCordon(params, reason, by),
    }),
    route({
      method: 'DELETE',
      path,
      summary: 'Have an upstream used again',
      scopes: ['networks'],
      run: ({ params, by }) => setCordon(params, undefined, by),
    }),
  ]
}
