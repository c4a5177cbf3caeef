import { streams as streamsSchema } from '../model/stream.ts'
import { type RouteContext, served } from './context.ts'
import { type Route, route } from './route.ts'

/** The route of what callers have open. */
export function streamRoutes({ streams }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/streams',
      summary: 'Count connections, subscriptions and filters by network',
      scopes: ['read', 'networks'],
      result: streamsSchema,
      run: async () => ({ items: await served(streams, 'streams').list() }),
    }),
  ]
}
