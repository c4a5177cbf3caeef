import { invalid } from '../error.ts'
import { processes as processesSchema } from '../model/process.ts'
import { traffic as trafficSchema, trafficQuery, type TrafficStep } from '../model/traffic.ts'
import { type RouteContext, served } from './context.ts'
import { type Route, route } from './route.ts'

const usualSpanMs = 900_000
/** As long as the short steps are kept, in ms. */
const hourMs = 3_600_000

/** The routes of what a gateway tells of itself: its traffic and its processes. */
export function trafficRoutes({ traffic, processes }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/traffic',
      summary: 'Tell calls, errors and times in steps of 10 s or a minute',
      scopes: ['read', 'usage'],
      query: trafficQuery,
      result: trafficSchema,
      run({ query, by: { at } }) {
        const port = served(traffic, 'calls')
        const { to = at, from = Math.max(0, to - usualSpanMs) } = query
        if (from > to) throw invalid([{ path: 'query.from', message: 'expected a time that is not after "to"' }])
        const step: TrafficStep = query.step ?? (from < at - hourMs ? 60_000 : 10_000)
        const { since } = port
        return { step, since, ...port.times(step, from, to), open: port.open(), items: port.points(step, from, to) }
      },
    }),
    route({
      method: 'GET',
      path: '/processes',
      summary: 'List the processes that this one knows',
      scopes: ['read'],
      result: processesSchema,
      run: () => ({ items: served(processes, 'processes').list() }),
    }),
  ]
}
