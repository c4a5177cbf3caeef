import { loadOnce } from '../load-once.ts'
import type { Pushes, Resubscribe } from './resubscribe.ts'

/**
 * Reopens subscriptions after a drop, and fetches the heads, logs and receipts that it took. For `resubscribe` of `createClient`; its code
 * loads with the first subscription.
 */
export const fetchMissed: Resubscribe = (socket, ask) => {
  let kept: Pushes | undefined
  const load = loadOnce(async () => (kept = (await import('./load-events.ts')).keepWhole(socket, ask)))
  return {
    handler: async (request, context) => (await load()).handler(request, context),
    close: () => kept?.close(),
  }
}
