import { AdminError } from '../error.ts'
import { replay as replaySchema } from '../model/replay.ts'
import type { RouteContext } from './context.ts'
import { type Route, route } from './route.ts'

/** The route of what a changed configuration would do to the last calls. */
export function replayRoutes({ replay }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/replay',
      summary: 'Replay the last calls against the configuration file, before it is reloaded; nothing changes',
      // The replay reads the file, which may be a program, and tells of exceptions there, as a reload does.
      scopes: ['all'],
      result: replaySchema,
      run() {
        if (replay !== undefined) return replay.run()
        throw new AdminError(
          'not_found',
          'this gateway was started without a configuration file that it could read again',
        )
      },
    }),
  ]
}
