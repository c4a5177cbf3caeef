import { AdminError } from '../error.ts'
import type { AdminEvents } from '../events.ts'
import { liveCallQuery, liveCalls } from '../model/live-call.ts'
import { type RouteContext, served } from './context.ts'
import { type Route, route } from './route.ts'

/** The route of calls as they end, which are told as server-sent events. */
export function liveRoutes({ calls }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/calls/live',
      summary: 'Follow the calls that end from now on',
      scopes: ['read'],
      query: liveCallQuery,
      events: liveCalls,
      run({ query }): AdminEvents {
        const events = served(calls, 'calls').live(query)
        if (events !== undefined) return events
        throw new AdminError('unavailable', 'as many streams of calls as may be are open: close one, or ask later')
      },
    }),
  ]
}
