import { loadOnce } from '../load-once.ts'
import type { Pushes, Resubscribe } from './resubscribe.ts'

/** Does the same as `fetchMissed`, whose code loads with the first subscription. */
export const fetchMissedLater: Resubscribe = (socket, ask) => {
  let kept: Pushes | undefined
  const load = loadOnce(async () => (kept = (await import('./load-events.ts')).fetchMissed(socket, ask)))
  return {
    handler: async (request, context) => (await load()).handler(request, context),
    close: () => kept?.close(),
  }
}
