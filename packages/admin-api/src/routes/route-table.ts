import { applyRoutes } from './apply.ts'
import type { RouteContext } from './context.ts'
import { gasRoutes } from './gas.ts'
import { importRoutes } from './import-keys.ts'
import { jwtKeyRoutes } from './jwt-keys.ts'
import { keyRoutes } from './keys.ts'
import { liveRoutes } from './live.ts'
import { methodRoutes } from './methods.ts'
import { networkRoutes } from './networks.ts'
import { pinRoutes } from './pins.ts'
import { planRoutes } from './plans.ts'
import { projectRoutes } from './projects.ts'
import { replayRoutes } from './replay.ts'
import { reportRoutes } from './reports.ts'
import type { Route } from './route.ts'
import { secretRoutes } from './secrets.ts'
import { trafficRoutes } from './traffic.ts'
import { streamRoutes } from './streams.ts'

/** All routes but that of the document that tells of them. */
export function createRoutes(context: RouteContext): readonly Route[] {
  return [
    ...projectRoutes(context),
    ...keyRoutes(context),
    ...secretRoutes(context),
    ...jwtKeyRoutes(context),
    ...planRoutes(context),
    ...reportRoutes(context),
    ...networkRoutes(context),
    ...trafficRoutes(context),
    ...liveRoutes(context),
    ...gasRoutes(context),
    ...streamRoutes(context),
    ...pinRoutes(context),
    ...methodRoutes(context),
    ...replayRoutes(context),
    ...importRoutes(context),
    ...applyRoutes(context),
  ]
}
